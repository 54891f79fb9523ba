"""Who runs in a workspace now: what a boundary that is taken by hand has to know (it belongs to no task then)."""

from __future__ import annotations

import os

from unlost.app.units import open_on, read_units
from unlost.facts.errors import TryLater
from unlost.host.environment import variable
from unlost.host.locks import FileLock
from unlost.ledger.protocol import Ledger


def who_runs(folder: str, ledger: Ledger, workspace: str) -> tuple[str, str] | None:
    """(unit, attempt) that this process stands below, or that a supervisor drives in the workspace; None for nobody.

    Looking costs one system call as long as nobody drives anything.
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
        units = [state.unit for state in open_on(read_units(ledger, workspace=workspace))]
        return (units[0], units[0]) if units else None
    lock.release()
    return None
