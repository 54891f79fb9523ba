"""From the ends of agents and the waits between them to the limit that holds a unit up: pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.facts.records import replace
from unlost.ledger.events import Event
from unlost.unit import limit_events as said
from unlost.unit.facts import UnitState
from unlost.unit.limit import LimitRecord, RateLimited


def with_limit(state: UnitState, event: Event, limit: RateLimited | None) -> UnitState:
    """The state after an agent's end: the limit it ran into, or none any more."""
    record = None if limit is None else LimitRecord(resets_at=limit.resets_at, heard_at=event.sequence)
    return replace(state, limit=record)


def _awaited(state: UnitState, event: Event, _payload: said.LimitAwaited) -> UnitState:
    record = replace(_record(state), awaited_at=event.sequence, phase=state.phase)
    return replace(state, limit=record, phase="paused", reason="rate_limit")


def _passed(state: UnitState, _event: Event, _payload: said.LimitPassed) -> UnitState:
    # Whatever happened to the tree meanwhile: it is proven before the next agent starts.
    return replace(state, limit=None, phase=_record(state).phase, reason="", fresh=False)


def _record(state: UnitState) -> LimitRecord:
    """The limit that an event is about; KeyError for an event without one: the stream is damaged."""
    if state.limit is None:
        raise KeyError("limit")
    return state.limit


STEPS: Final[Mapping[type, Callable[[UnitState, Event, Any], UnitState]]] = {
    said.LimitAwaited: _awaited,
    said.LimitPassed: _passed,
}
