"""Who runs in a workspace now: what a boundary that is taken by hand has to know (it belongs to no task then)."""

from __future__ import annotations

import json
import os

from unlost.host.environment import variable
from unlost.host.locks import FileLock
from unlost.host.reading import read_regular

SUPERVISOR_LOCK = "supervisor.lock"
"""What a supervisor holds in a workspace's folder while it drives a unit there."""

BETWEEN_ATTEMPTS = "supervisor"
"""What stands for the attempt while a supervisor drives the workspace and no agent runs (checks, judging)."""

_LARGEST_HOLDER = 1 << 20


def who_runs(folder: str) -> tuple[str, str] | None:
    """(unit, attempt) that this process stands below, or that a supervisor drives in the workspace; None for nobody.

    Looking costs one system call as long as nobody drives anything, and reads no unit: `mark` pays for this.
    """
    attempt = variable("UNLOST_ATTEMPT")
    if attempt is not None:
        return variable("UNLOST_UNIT") or "", attempt
    return _newest_writer(folder) if is_driven(folder) else None


def is_driven(folder: str) -> bool:
    """Whether a supervisor drives the workspace now."""
    path = os.path.join(folder, SUPERVISOR_LOCK)
    return os.path.exists(path) and FileLock(path).is_held_elsewhere()


def _newest_writer(folder: str) -> tuple[str, str]:
    """(unit, attempt) that took the writer lock last, as the shim wrote it (`host.shim.records`).

    Read as plain data: `mark` would pay for importing the shim's own readers.
    """
    try:
        holder = json.loads(read_regular(os.path.join(folder, "writer.json"), _LARGEST_HOLDER) or b"")
        return str(holder["unit"]), str(holder["attempt"])
    except (OSError, ValueError, KeyError, TypeError):
        return "", BETWEEN_ATTEMPTS
