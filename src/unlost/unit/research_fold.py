"""From the events of the research step to its record: pure, one small function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.facts.records import replace
from unlost.ledger.events import Event
from unlost.research import events as submitted
from unlost.research.standing import with_event
from unlost.unit import research_events as said
from unlost.unit.facts import UnitState
from unlost.unit.lease import Spent, spend
from unlost.unit.limit_fold import with_limit
from unlost.unit.research import ResearchRecord


def _opened(state: UnitState, event: Event, payload: said.ResearchOpened) -> UnitState:
    before = state.research
    record = ResearchRecord(opened=payload, prompt=event.sequence, used=before.used if before else Spent())
    if before is not None:
        record = replace(record, standing=before.standing)
    return replace(state, research=record, phase="research")


def _ended(state: UnitState, event: Event, payload: said.ResearchEnded) -> UnitState:
    record = _record(state)
    record = replace(record, ended=payload, ended_at=event.sequence, used=spend(record.used, payload))
    return with_limit(replace(state, research=record, spent=spend(state.spent, payload)), event, payload.limit)


def _submitted(state: UnitState, event: Event, _payload: object) -> UnitState:
    record = _record(state)
    return replace(state, research=replace(record, standing=with_event(record.standing, event)))


def _settled(state: UnitState, event: Event, payload: said.ResearchSettled) -> UnitState:
    record = replace(_record(state), settled=payload, settled_at=event.sequence)
    return replace(state, research=record)


def _record(state: UnitState) -> ResearchRecord:
    """The record that an event belongs to; KeyError for an event without one: the stream is damaged."""
    if state.research is None:
        raise KeyError("research")
    return state.research


STEPS: Final[Mapping[type, Callable[[UnitState, Event, Any], UnitState]]] = {
    said.ResearchOpened: _opened,
    said.ResearchEnded: _ended,
    submitted.ResearchIntended: _submitted,
    submitted.ResearchStored: _submitted,
    submitted.ResearchConfirmed: _submitted,
    said.ResearchSettled: _settled,
}
