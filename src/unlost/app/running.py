"""Who runs in a workspace now: what a boundary that is taken by hand has to know (it belongs to no task then)."""

from __future__ import annotations

import os

from unlost.attempt.writer import current_writer
from unlost.facts.errors import TryLater
from unlost.host.environment import variable
from unlost.host.locks import FileLock

BETWEEN_ATTEMPTS = "supervisor"
"""What stands for the attempt while a supervisor drives the workspace and no agent runs (checks, judging)."""


def who_runs(folder: str) -> tuple[str, str] | None:
    """(unit, attempt) that this process stands below, or that a supervisor drives in the workspace; None for nobody.

    Looking costs one system call as long as nobody drives anything, and reads no unit: `mark` pays for this.
    """
    attempt = variable("UNLOST_ATTEMPT")
    if attempt is not None:
        return variable("UNLOST_UNIT") or "", attempt
    path = os.path.join(folder, "supervisor.lock")
    if not os.path.exists(path):
        return None
    lock = FileLock(path)
    try:
        lock.acquire(wait=0)
    except TryLater:
        writer = current_writer(folder)
        return ("", BETWEEN_ATTEMPTS) if writer is None else (writer.unit, writer.attempt)
    lock.release()
    return None
