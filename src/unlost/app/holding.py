"""Who drives a workspace: one supervisor at a time on this machine, held by a lock that dies with it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator

from unlost.app.running import SUPERVISOR_LOCK
from unlost.app.units import open_on, read_units
from unlost.facts.errors import TryLater
from unlost.facts.quoting import canonical_json
from unlost.host.locks import FileLock
from unlost.host.reading import read_regular, write_atomically
from unlost.ledger.protocol import Ledger

_LARGEST = 1 << 16
# A supervisor whose unit is over lets go of the lock a moment after it said so.
_PATIENCE = 0.3


@contextlib.contextmanager
def driving(folder: str, ledger: Ledger, workspace: str) -> Iterator[None]:
    """Hold the workspace as its one supervisor. Raises TryLater naming the unit that is driven now."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    lock = FileLock(os.path.join(folder, SUPERVISOR_LOCK))
    try:
        lock.acquire(wait=_PATIENCE)
    except TryLater as error:
        names = ", ".join(state.unit for state in open_on(read_units(ledger, workspace=workspace)))
        raise TryLater(
            f"{names or 'a unit that is being admitted'} is driven on this workspace by another unlost; "
            "nothing was started",
            hint="unlost status",
        ) from error
    try:
        yield
    finally:
        lock.release()


def refuse_second_unit(ledger: Ledger, workspace: str, now: float) -> None:
    """Raise TryLater when a unit is open on the workspace: two plans in one tree would make every loss ambiguous."""
    for state in open_on(read_units(ledger, workspace=workspace, now=now)):
        raise TryLater(
            f"{state.unit} ({state.phase}) is open on this workspace; nothing was started",
            hint=f"unlost resume {state.unit}, or unlost stop {state.unit}",
        )


def next_epoch(ledger: Ledger, workspace: str) -> int:
    """The number of the next writer of a workspace: over every one that its units had (decision 11)."""
    return 1 + max((state.epoch for state in read_units(ledger, workspace=workspace).states), default=0)


def keep_plan_folder(folder: str, unit: str, plan_folder: str) -> None:
    """Keep on this machine alone where a unit's plan lay: relative paths in it start there (decision 17)."""
    os.makedirs(os.path.join(folder, "units"), mode=0o700, exist_ok=True)
    write_atomically(_file(folder, unit), canonical_json({"plan_folder": plan_folder}))


def plan_folder_of(folder: str, unit: str, default: str) -> str:
    """Where a unit's plan lay; the default when this machine does not know."""
    data = read_regular(_file(folder, unit), _LARGEST)
    if data is None:
        return default
    found = json.loads(data).get("plan_folder")
    return found if isinstance(found, str) else default


def _file(folder: str, unit: str) -> str:
    return os.path.join(folder, "units", f"{unit}.json")
