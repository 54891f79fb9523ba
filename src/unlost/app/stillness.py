"""Hold a workspace so that no agent of unlost's starts in it, and know that none runs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from unlost.app.opening import Place
from unlost.app.running import SUPERVISOR_LOCK, who_runs
from unlost.attempt.writer import held_by, unsettled
from unlost.facts.errors import TryLater
from unlost.host.clock import Clock
from unlost.host.doors import open_door
from unlost.host.locks import FileLock
from unlost.host.shim.records import read_holder, release_lock, take_lock
from unlost.workspace.facts import Quiescence

LEFTOVERS: Final[Mapping[str, str]] = {"attempts": "unlost.attempt.orphans"}
"""What ends attempts whose supervisor died; opened only where there are some."""

# As long as a supervisor waits for it.
_PATIENCE: Final = 0.3


@contextmanager
def held_still(place: Place, clock: Clock) -> Iterator[Quiescence]:
    """No supervisor and no attempt works here as long as this is held; what a killed one left is ended first.

    Raises TryLater (exit 75) naming who works here. An agent that a person started by hand, without `unlost run`, is
    not seen.
    """
    driving = FileLock(os.path.join(place.folder, SUPERVISOR_LOCK))
    try:
        driving.acquire(wait=_PATIENCE)
    except TryLater as error:
        unit = (who_runs(place.folder) or ("", ""))[0] or "a unit"
        raise TryLater(f"{unit} is driven in this workspace; nothing was saved", hint="unlost status") from error
    with driving:
        for attempt in unsettled(place.folder):
            open_door(LEFTOVERS, "attempts").settle(place.folder, attempt, clock)
        lock = take_lock(place.folder)
        if lock is None:
            raise held_by(read_holder(place.folder))
        try:
            yield Quiescence(unknown=False, active=unsettled(place.folder))
        finally:
            release_lock(lock)
