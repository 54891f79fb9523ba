"""Hold a workspace so that no agent of unlost's starts in it, and know that none runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unlost.app.holding import driving
from unlost.app.opening import Place
from unlost.attempt.orphans import settle, unsettled
from unlost.attempt.writer import held_by
from unlost.host.clock import Clock
from unlost.host.shim.records import read_holder, release_lock, take_lock
from unlost.ledger.protocol import Ledger
from unlost.workspace.facts import Quiescence


@contextmanager
def held_still(place: Place, ledger: Ledger, clock: Clock) -> Iterator[Quiescence]:
    """No supervisor and no attempt works here as long as this is held; what a killed one left is ended first.

    Raises TryLater (exit 75) naming who works here. An agent that a person started by hand, without `unlost run`, is
    not seen.
    """
    with driving(place.folder, ledger, place.identity.workspace):
        for attempt in unsettled(place.folder):
            settle(place.folder, attempt, clock)
        lock = take_lock(place.folder)
        if lock is None:
            raise held_by(read_holder(place.folder))
        try:
            yield Quiescence(unknown=False, active=unsettled(place.folder))
        finally:
            release_lock(lock)
