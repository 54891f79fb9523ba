"""From the events of maintenance to its record: pure. What does not belong to the open action damages the stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.facts.records import replace
from unlost.ledger.events import Event
from unlost.publish.facts import RebaseReceipt
from unlost.unit import maintenance_events as said
from unlost.unit.facts import UnitState
from unlost.unit.lease import spend
from unlost.unit.maintenance import MaintenanceAction
from unlost.unit.origin_fold import with_receipt, with_writer


def with_review(state: UnitState, number: int) -> UnitState:
    """The state after a delta review was opened; it belongs to the open action. KeyError without one."""
    action = _open(state, None)
    return _put(state, replace(action, review=number))


def _opened(state: UnitState, _event: Event, payload: said.MaintenanceOpened) -> UnitState:
    number = len(state.maintenance.actions) + 1
    producer = None if state.origin.producer is None else state.origin.producer.attempt
    expected = (number, said.action_key(state.unit, number), state.requester, producer)
    if (payload.number, payload.action, payload.requester, payload.producer) != expected or state.maintenance.open:
        raise KeyError(payload.action)
    actions = (*state.maintenance.actions, MaintenanceAction(opened=payload))
    terms = state.terms if payload.terms is None else payload.terms
    return replace(state, terms=terms, maintenance=replace(state.maintenance, actions=actions))


def _merged(state: UnitState, _event: Event, payload: said.MaintenanceMerged) -> UnitState:
    return _put(state, replace(_open(state, payload.number), merged=payload))


def _intended(state: UnitState, event: Event, payload: said.MaintenanceRepairIntended) -> UnitState:
    action = _open(state, payload.number)
    if payload.action != action.opened.action or action.intended is not None:
        raise KeyError(payload.action)
    return _put(state, replace(action, intended=payload, prompt=event.sequence))


def _ended(state: UnitState, _event: Event, payload: said.MaintenanceRepairEnded) -> UnitState:
    action = _open(state, payload.number)
    intended = action.intended
    if intended is None or (payload.action, payload.identity) != (intended.action, intended.identity):
        raise KeyError(payload.action)
    state = _put(state, replace(action, ended=payload))
    state = replace(state, spent=spend(state.spent, payload))
    if payload.writer is None:
        return state
    if not payload.known or payload.writer != intended.writer:
        raise KeyError("writer")
    return with_writer(state, payload.writer)


def _resolved(state: UnitState, _event: Event, payload: said.MaintenanceResolved) -> UnitState:
    return _put(state, replace(_open(state, payload.number), resolved=payload))


def _settled(state: UnitState, _event: Event, payload: said.MaintenanceSettled) -> UnitState:
    action = _open(state, payload.number)
    if payload.action != action.opened.action or (payload.receipt is not None) != (payload.result == "rebased"):
        raise KeyError(payload.action)
    if payload.receipt is not None:
        _refuse_foreign(action, payload.receipt)
        state = with_receipt(state, payload.receipt)
        state = replace(state, commits=replace(state.commits, tip=payload.receipt.after))
    return _put(state, replace(action, settled=payload))


def _refuse_foreign(action: MaintenanceAction, receipt: RebaseReceipt) -> None:
    """KeyError unless the receipt is of this exact action, and of its own run where one was paid for (R.58, R.62)."""
    opened = action.opened
    writer = None if action.ended is None or action.ended.writer is None else action.ended.writer.identity
    expected = (opened.action, opened.target, opened.onto, opened.ref, opened.before, action.commit, writer)
    found = (
        *(receipt.action, receipt.target, receipt.onto, receipt.branch, receipt.before, receipt.after),
        receipt.writer,
    )
    if found != expected:
        raise KeyError(receipt.action)


def _open(state: UnitState, number: int | None) -> MaintenanceAction:
    action = state.maintenance.open
    if action is None or number not in (None, action.opened.number):
        raise KeyError(number)
    return action


def _put(state: UnitState, action: MaintenanceAction) -> UnitState:
    actions = (*state.maintenance.actions[:-1], action)
    return replace(state, maintenance=replace(state.maintenance, actions=actions))


STEPS: Final[Mapping[type, Callable[[UnitState, Event, Any], UnitState]]] = {
    said.MaintenanceOpened: _opened,
    said.MaintenanceMerged: _merged,
    said.MaintenanceRepairIntended: _intended,
    said.MaintenanceRepairEnded: _ended,
    said.MaintenanceResolved: _resolved,
    said.MaintenanceSettled: _settled,
}
