"""Follow a unit that another process drives, until it ends, waits or is left alone: its events, or the words said."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Final

from unlost.app.background import log_of
from unlost.app.running import is_driven
from unlost.app.supervised import Supervisor
from unlost.engine.stream import UnitStream
from unlost.facts.errors import UsageError
from unlost.ledger.events import Event
from unlost.unit.events import EVENTS

_LOOK_EVERY: Final = 0.3
# So many looks without news, and it is asked whether anybody drives the unit at all.
_PATIENCE: Final = 10
_LARGEST_PIECE: Final = 2 << 20


def follow(supervisor: Supervisor, unit: str) -> Iterator[object]:
    """Each event payload of a unit, those of the past first; returns when nothing more will happen by itself."""
    for events in _looks(supervisor, unit):
        yield from (EVENTS.payload(event) for event in events)


def follow_log(supervisor: Supervisor, unit: str) -> Iterator[str]:
    """What the supervisors of the unit's workspace said in the background, and what is said from now on.

    Raises UsageError when nothing of this workspace ever ran in the background.
    """
    path, position = log_of(supervisor.place.folder), 0
    if not os.path.exists(path):
        raise UsageError("nothing was said in the background here", hint=f"unlost watch {unit}")
    for _ in _looks(supervisor, unit):
        text, position = _read_on(path, position)
        if text:
            yield text


def _looks(supervisor: Supervisor, unit: str) -> Iterator[Sequence[Event]]:
    """The new events of each look at a unit; ends after the look behind which nothing more happens by itself."""
    stream = UnitStream(supervisor.ledger, unit)
    seen, idle = 0, 0
    while True:
        events = supervisor.ledger.read(unit, after=seen)
        seen, idle = (events[-1].sequence, 0) if events else (seen, idle + 1)
        state = stream.read() or stream.state
        is_left_alone = idle > _PATIENCE and not is_driven(supervisor.place.folder)
        yield events
        if state.sequence == seen and (state.over or state.waiting is not None or is_left_alone):
            return
        supervisor.clock.wait(_LOOK_EVERY)


def _read_on(path: str, position: int) -> tuple[str, int]:
    """What a log holds behind a position, and the next position; from its beginning when the log made room since."""
    with open(path, "rb") as log:
        if os.fstat(log.fileno()).st_size < position:
            position = 0
        log.seek(position)
        data = log.read(_LARGEST_PIECE)
    return data.decode("utf-8", "replace"), position + len(data)
