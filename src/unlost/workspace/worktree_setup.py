"""The setup commands of a plan, run once in a new work tree."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.quoting import clean
from unlost.host.process import NotStarted, Request, run

_TIMEOUT: Final = 30 * 60.0
_OUTPUT_LIMIT: Final = 64 * 1024
_TOLD: Final = 2000


class SetupFailed(UnlostError):
    """A setup command did not succeed; the work tree stands, and nothing was run in it after that command."""


def run_setup(
    commands: Sequence[tuple[str, ...]], *, root: str, env: Mapping[str, str], say: Callable[[str], None]
) -> None:
    """Run each command in the root, one after the other, until one fails. Raises SetupFailed with its last output."""
    for argv in commands:
        name = clean(shlex.join(argv), one_line=True)
        say(f"setting up: {name}")
        request = Request(argv=argv, env=env, cwd=root, timeout=_TIMEOUT, output_limit=_OUTPUT_LIMIT, merge=True)
        try:
            outcome = run(request)
        except NotStarted as error:
            raise SetupFailed(f"setup command {name}: {error.message}") from error
        if not outcome.ok:
            ended = "took too long" if outcome.timed_out else f"ended with exit code {outcome.exit_code}"
            tail = clean(outcome.stdout[-_TOLD:].decode("utf-8", "replace")).strip()
            raise SetupFailed(f"setup command {name} {ended}" + (f":\n{tail}" if tail else ""))
