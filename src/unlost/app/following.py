"""Follow a unit that another process drives: its events as they are recorded, until it ends, waits or is left alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unlost.app.holding import driving
from unlost.app.supervised import Supervisor
from unlost.engine.stream import UnitStream
from unlost.facts.errors import TryLater
from unlost.unit.events import EVENTS

_LOOK_EVERY: Final = 0.3
# So many looks without news, and it is asked whether anybody drives the unit at all.
_PATIENCE: Final = 10


def follow(supervisor: Supervisor, unit: str) -> Iterator[object]:
    """Each event payload of a unit, those of the past first; returns when nothing more will happen by itself."""
    stream = UnitStream(supervisor.ledger, unit)
    seen, idle = 0, 0
    while True:
        for event in supervisor.ledger.read(unit, after=seen):
            seen, idle = event.sequence, 0
            yield EVENTS.payload(event)
        state = stream.read() or stream.state
        if state.over or state.waiting is not None:
            return
        if idle >= _PATIENCE and not _is_driven(supervisor):
            return
        idle += 1
        supervisor.clock.wait(_LOOK_EVERY)


def _is_driven(supervisor: Supervisor) -> bool:
    try:
        with driving(supervisor.place.folder, supervisor.ledger, supervisor.place.workspace):
            return False
    except TryLater:
        return True
