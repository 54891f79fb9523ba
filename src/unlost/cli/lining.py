"""What `unlost status --line` does: print one small file."""

from __future__ import annotations

from unlost.app.status_line import line_at
from unlost.cli.invoked import Invocation


def carry_out(invocation: Invocation) -> int:
    """Print the line, if there is one to print; always exit 0, because a prompt is no place for errors."""
    line = line_at(invocation.target, invocation.environment)
    if line:
        invocation.terminal.data(line)
    return 0
