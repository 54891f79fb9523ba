"""A program that is killed and called again."""

from __future__ import annotations

import signal

from kit.program import Program, Result


def again(program: Program, ended: Result, *words: str) -> Result:
    """Say it again, with these words, as often as it dies."""
    while ended.code == -signal.SIGKILL:
        ended = program(*words, code=None)
    return ended
