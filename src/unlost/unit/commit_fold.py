"""From the events of commits to their record: pure, one small function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.facts.records import replace
from unlost.ledger.events import Event
from unlost.unit import commit_events as said
from unlost.unit.commit import CommitRecord, MadeCommit
from unlost.unit.commit_step import pending_pieces
from unlost.unit.facts import UnitState
from unlost.unit.origin_fold import with_receipt


def _intended(state: UnitState, _event: Event, payload: said.CommitIntended) -> UnitState:
    record = replace(state.commits, open=payload, number=payload.number)
    return _hooked(state, record, ran=payload.hooks_ran)


def _ended(state: UnitState, event: Event, payload: said.CommitEnded) -> UnitState:
    record = state.commits
    intended = record.open
    if intended is None or intended.number != payload.number:
        raise KeyError(payload.name)
    record = replace(record, open=None)
    if payload.receipt is None:
        deferred = said.CommitDeferred(
            number=payload.number,
            pieces=intended.pieces,
            refusal=payload.refusal or "failed",
            tree=state.tree_now,
            hooks_ran=False,
        )
        # A try that a kill ended says nothing against the next one.
        return replace(state, commits=record) if payload.settled else _put_off(state, record, event, deferred)
    made = MadeCommit(intended=intended, ended=payload, commit=payload.receipt.after)
    record = replace(
        record,
        made=(*record.made, made),
        covered=record.covered | set(intended.pieces),
        left_out=(*record.left_out, *intended.left_out),
        deferred=None,
        refused=0,
        tip=payload.receipt.after,
        changed_at=event.sequence,
    )
    return with_receipt(replace(state, commits=record), payload.receipt)


def _deferred(state: UnitState, event: Event, payload: said.CommitDeferred) -> UnitState:
    state = _hooked(state, replace(state.commits, number=payload.number), ran=payload.hooks_ran)
    return _put_off(state, state.commits, event, payload)


def _unneeded(state: UnitState, _event: Event, payload: said.CommitUnneeded) -> UnitState:
    record = replace(
        state.commits,
        number=payload.number,
        covered=state.commits.covered | set(payload.pieces),
        left_out=(*state.commits.left_out, *payload.left_out),
        deferred=None,
        refused=0,
        tip=payload.head,
    )
    return replace(state, commits=record)


def _verified(state: UnitState, event: Event, payload: said.CommitsVerified) -> UnitState:
    made = tuple(replace(each, gone=each.gone or each.commit in payload.gone) for each in state.commits.made)
    gone = {piece for each in made if each.commit in payload.gone for piece in each.intended.pieces}
    record = replace(state.commits, made=made, covered=state.commits.covered - gone, verified_at=event.sequence)
    return replace(state, commits=record)


def _put_off(state: UnitState, record: CommitRecord, event: Event, deferred: said.CommitDeferred) -> UnitState:
    again = record.deferred is not None and record.deferred.pieces == deferred.pieces
    refused = record.refused + 1 if again and record.deferred_at > state.resumed_at else 1
    record = replace(
        record,
        deferred=deferred,
        deferred_at=event.sequence,
        deferred_pending=len(pending_pieces(state)),
        refused=refused,
    )
    return replace(state, commits=record)


def _hooked(state: UnitState, record: CommitRecord, *, ran: bool) -> UnitState:
    """Hooks may have changed any file, so nothing is proven until the tree is captured again."""
    if not ran:
        return replace(state, commits=record)
    return replace(state, commits=replace(record, unproven=len(state.boundaries)), fresh=False)


STEPS: Final[Mapping[type, Callable[[UnitState, Event, Any], UnitState]]] = {
    said.CommitIntended: _intended,
    said.CommitEnded: _ended,
    said.CommitDeferred: _deferred,
    said.CommitUnneeded: _unneeded,
    said.CommitsVerified: _verified,
}
