"""From the events of publishing to their record: pure, one small function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.facts.records import replace
from unlost.ledger.events import Event
from unlost.unit import publish_events as said
from unlost.unit.facts import UnitState
from unlost.unit.origin_fold import with_receipt


def _asked(state: UnitState, event: Event, _payload: said.PublishAsked) -> UnitState:
    return replace(state, publishing=replace(state.publishing, asked_at=event.sequence))


def _intended(state: UnitState, _event: Event, payload: said.PushIntended) -> UnitState:
    record = replace(
        state.publishing, open=payload, number=payload.number, remote=payload.remote, ref=payload.ref, failure=None
    )
    return replace(_under_way(state), publishing=record)


def _ended(state: UnitState, event: Event, payload: said.PushEnded) -> UnitState:
    record = state.publishing
    if record.open is None or record.open.number != payload.number:
        raise KeyError(payload.number)
    record = replace(record, open=None)
    if payload.receipt is None:
        # A push that is found not to have happened says nothing against the next one.
        failure = None if payload.settled and payload.failure is None else payload.failure or "unknown"
        return replace(state, publishing=replace(record, failure=failure, failed_at=event.sequence))
    record = replace(record, failure=None, published=payload.receipt.after, verified_at=event.sequence)
    return with_receipt(replace(state, publishing=record), payload.receipt)


def _uncertain(state: UnitState, event: Event, payload: said.PushUncertain) -> UnitState:
    if state.publishing.open is None or state.publishing.open.number != payload.number:
        raise KeyError(payload.number)
    return replace(state, publishing=replace(state.publishing, uncertain_at=event.sequence))


def _deferred(state: UnitState, event: Event, payload: said.PublishDeferred) -> UnitState:
    record = replace(
        state.publishing,
        failure=payload.failure,
        failed_at=event.sequence,
        remote=payload.remote,
        ref=payload.ref,
    )
    return replace(_under_way(state), publishing=record)


def _verified(state: UnitState, event: Event, _payload: said.PublishVerified) -> UnitState:
    return replace(state, publishing=replace(state.publishing, failure=None, verified_at=event.sequence))


def _rewound(state: UnitState, _event: Event, payload: said.RemoteRewound) -> UnitState:
    return replace(state, publishing=replace(state.publishing, rewound=(*state.publishing.rewound, payload)))


def _request(state: UnitState, _event: Event, payload: said.RequestKept) -> UnitState:
    return replace(state, publishing=replace(state.publishing, request=payload))


def _under_way(state: UnitState) -> UnitState:
    """A unit that is over stays over: publishing by hand ends nothing and begins nothing."""
    return state if state.over or state.waiting is not None else replace(state, phase="publishing")


STEPS: Final[Mapping[type, Callable[[UnitState, Event, Any], UnitState]]] = {
    said.PublishAsked: _asked,
    said.PushIntended: _intended,
    said.PushEnded: _ended,
    said.PushUncertain: _uncertain,
    said.PublishDeferred: _deferred,
    said.PublishVerified: _verified,
    said.RemoteRewound: _rewound,
    said.RequestKept: _request,
}
