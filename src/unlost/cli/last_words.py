"""How the process ends when a command failed: its error told on the standard streams."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from unlost.cli.app import COMMANDS
from unlost.cli.failures import tell_failure
from unlost.cli.terminal import Terminal
from unlost.host.environment import current_environment


def tell(error: BaseException, given: Sequence[str]) -> int:
    """Tell the error that ended a command line; returns the exit code."""
    ours = given[: given.index("--")] if "--" in given else given
    terminal = Terminal(
        stdin=sys.stdin,
        stdout=sys.stdout,
        stderr=sys.stderr,
        color="never" if "--color=never" in ours else "auto",
        quiet=False,
        environment=current_environment(),
    )
    return tell_failure(error, ours, terminal, commands=COMMANDS)
