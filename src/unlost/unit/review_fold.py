"""From the events of reviews to their record: pure, one small function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.facts.records import replace
from unlost.ledger.events import Event
from unlost.unit import review_events as said
from unlost.unit.facts import FINISHED, TaskRecord, UnitState
from unlost.unit.lease import spend
from unlost.unit.limit_fold import with_limit
from unlost.unit.maintenance_fold import with_review
from unlost.unit.review import OpenReview, RepairRecord, ReviewRecord, SettledReview, is_repair


def revised(state: UnitState, *, amended: bool) -> UnitState:
    """The state of a new revision: finished repair rounds stay tasks, and its review is to be passed anew.

    An amendment is a new plan with rounds of its own; a recovery renews nothing (R.50).
    """
    if state.review is None:
        return state
    before = len(state.review.repairs) if amended else state.review.before
    return replace(state, review=replace(state.review, open=None, passed=False, before=before))


def kept_repairs(state: UnitState) -> tuple[TaskRecord, ...]:
    """The repair rounds whose work stands, whatever plan comes next."""
    return tuple(task for task in state.tasks if is_repair(task.id) and task.state in FINISHED)


def _opened(state: UnitState, event: Event, payload: said.ReviewOpened) -> UnitState:
    record = state.review or ReviewRecord()
    opened = replace(record, open=OpenReview(opened=payload, prompt=event.sequence))
    state = replace(state, review=opened)
    if payload.kind == "delta":
        return with_review(state, payload.number)
    return replace(state, phase="review")


def _ended(state: UnitState, event: Event, payload: said.ReviewEnded) -> UnitState:
    record = _record(state)
    if record.open is None:
        raise KeyError(payload.number)
    ended = replace(record.open, ended=payload, ended_at=event.sequence)
    record = replace(record, open=ended, used=spend(record.used, payload))
    return with_limit(replace(state, review=record, spent=spend(state.spent, payload)), event, payload.limit)


def _settled(state: UnitState, event: Event, payload: said.ReviewSettled) -> UnitState:
    record = state.review or ReviewRecord()
    running = record.open if payload.by is None else None
    settled = SettledReview(
        settled=payload,
        body=event.sequence,
        revision=state.revision,
        prompt=None if running is None else running.prompt,
        discarded=0 if running is None or running.ended is None else running.ended.discarded_count,
    )
    delta = running is not None and running.opened.kind == "delta"
    passed = payload.result == "clean" if not delta else record.passed
    return replace(state, review=replace(record, open=None, settled=(*record.settled, settled), passed=passed))


def _repair(state: UnitState, _event: Event, payload: said.RepairOpened) -> UnitState:
    record = _record(state)
    review = next(each for each in record.settled if each.settled.number == payload.review)
    repair = RepairRecord(
        round=payload.round,
        review=payload.review,
        paths=payload.paths,
        findings=review.body,
        by_person=review.settled.by is not None,
    )
    record = replace(record, repairs=(*record.repairs, repair))
    # What it changes is checked again from the first check on.
    return replace(state, review=record, tasks=(*state.tasks, TaskRecord(id=repair.task)), checks=(), phase="coding")


def _record(state: UnitState) -> ReviewRecord:
    """The record that an event belongs to; KeyError for an event without one: the stream is damaged."""
    if state.review is None:
        raise KeyError("review")
    return state.review


STEPS: Final[Mapping[type, Callable[[UnitState, Event, Any], UnitState]]] = {
    said.ReviewOpened: _opened,
    said.ReviewEnded: _ended,
    said.ReviewSettled: _settled,
    said.RepairOpened: _repair,
}
