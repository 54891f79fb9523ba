"""Named crash points: where a test may kill this process to prove that nothing is lost.

A crash point is a no-op unless `UNLOST_CRASH_AT` names it. `NAME` kills at the first pass, `NAME:3` at
the third. The kill is SIGKILL, so no handler, no `finally` and no buffer gets a chance.
"""

from __future__ import annotations

import os
import signal
from typing import Final

_armed, _, _count = os.environ.get("UNLOST_CRASH_AT", "").partition(":")
_ARMED: Final = _armed
_passes_left = int(_count) if _count.isdigit() else 1


def crash_point(name: str) -> None:
    """Die here when a test armed this point; else do nothing."""
    if name == _ARMED:
        _pass_armed_point()


def _pass_armed_point() -> None:
    global _passes_left  # noqa: PLW0603  (one process, one armed point: a counter is all the state there is)
    _passes_left -= 1
    if _passes_left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
