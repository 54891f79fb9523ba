"""From the events of a handoff to its record: pure, one small function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.facts.records import replace
from unlost.ledger.events import Event
from unlost.unit import handoff_events as said
from unlost.unit.events import Blocked
from unlost.unit.facts import AttemptRecord, UnitState
from unlost.unit.handoff import HandoffRecord


def gated(state: UnitState, event: Event, payload: Blocked) -> UnitState:
    """The state after a wait for a person that is about recoverable work."""
    task = state.task(payload.task or "")
    attempt = task.last_that_ran(state.revision)
    if attempt is None:
        raise KeyError(payload.task)
    return _put(state, attempt, replace(_record(attempt), gated_at=event.sequence))


def _taken(state: UnitState, event: Event, payload: said.HandoffTaken) -> UnitState:
    return _put(state, _attempt(state, payload), HandoffRecord(taken=payload, body=event.sequence))


def _verified(state: UnitState, _event: Event, payload: said.HandoffVerified) -> UnitState:
    attempt = _attempt(state, payload)
    record = _record(attempt)
    return _put(state, attempt, replace(record, verified=payload, looks=record.looks + 1))


def _restore_intended(state: UnitState, _event: Event, payload: said.HandoffRestoreIntended) -> UnitState:
    attempt = _attempt(state, payload)
    return _put(state, attempt, replace(_record(attempt), restoring=payload.paths))


def _restored(state: UnitState, event: Event, payload: said.HandoffRestored) -> UnitState:
    attempt = _attempt(state, payload)
    record = _record(attempt)
    record = replace(
        record,
        restoring=None,
        tries=record.tries + 1,
        tried_at=event.sequence,
        restored=(*record.restored, *payload.restored),
    )
    return replace(_put(state, attempt, record), fresh=False)


def _attempt(state: UnitState, payload: Any) -> AttemptRecord:
    """The attempt that an event is about; KeyError when there is none: the stream is damaged."""
    for attempt in state.task(payload.task).attempts:
        if attempt.number == payload.attempt:
            return attempt
    raise KeyError(payload.attempt)


def _record(attempt: AttemptRecord) -> HandoffRecord:
    if attempt.handoff is None:
        raise KeyError("handoff")
    return attempt.handoff


def _put(state: UnitState, attempt: AttemptRecord, record: HandoffRecord) -> UnitState:
    task = state.task(attempt.task)
    attempts = tuple(replace(each, handoff=record) if each is attempt else each for each in task.attempts)
    task = replace(task, attempts=attempts)
    return replace(state, tasks=tuple(task if known.id == task.id else known for known in state.tasks))


STEPS: Final[Mapping[type, Callable[[UnitState, Event, Any], UnitState]]] = {
    said.HandoffTaken: _taken,
    said.HandoffVerified: _verified,
    said.HandoffRestoreIntended: _restore_intended,
    said.HandoffRestored: _restored,
}
