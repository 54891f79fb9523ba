"""Whether a unit's published work is to be put onto its target now, and the action that is opened for it."""

from __future__ import annotations

from unlost.engine.maintenance_words import key_of
from unlost.engine.publishing import Destination, destination
from unlost.engine.step import Step
from unlost.facts.errors import NeedsPerson, UsageError
from unlost.facts.records import dataclass
from unlost.publish.credit import newest_after
from unlost.publish.facts import RebaseReceipt
from unlost.unit.facts import UnitState
from unlost.unit.lease import extended
from unlost.unit.maintenance_events import MaintenanceOpened, action_key
from unlost.unit.terms import Terms


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceOrder:
    """Who asks, and what a person gives the lease with it: seconds and dollars."""

    by: str
    extend: float = 0.0
    raise_cost: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """Where a unit's work is published (`url` is the digest of the address), its head there, and its target's ref."""

    to: Destination
    url: str
    before: str
    target: str


def refuse_unpublished(step: Step) -> None:
    """Raise UsageError unless the unit is done and its work stands at a remote."""
    _place(step)


def open_action(step: Step, order: MaintenanceOrder) -> bool:
    """Open an action when the target moved; False when the work stands on it, or in it, already.

    Raises NeedsPerson for a remote that cannot be read, a branch that others moved, and commits that were tried.
    """
    place, state = _place(step), step.stream.state
    if any(action.has_landed(place.before) for action in state.maintenance.actions):
        return False
    onto = _target_now(step, place)
    if step.hands.maintenance.contains(place.before, onto):
        return False
    tried = state.maintenance.tried(place.before, onto)
    if tried is not None and tried.settled is not None:
        raise NeedsPerson(
            f"{state.unit} was put onto {onto[:12]} before ({tried.settled.result.replace('_', ' ')}); "
            "that is not paid for again",
            hint=f"unlost show {state.unit}",
        )
    base = step.hands.maintenance.left_at(place.before, onto, known=_known_base(state, place.before))
    if base is None:
        raise NeedsPerson(f"{place.target} has no commit in common with {place.to.branch}; nothing was changed")
    opened = MaintenanceOpened(
        number=len(state.maintenance.actions) + 1,
        action=action_key(state.unit, len(state.maintenance.actions) + 1),
        by=order.by,
        requester=state.requester,
        producer=None if state.origin.producer is None else state.origin.producer.attempt,
        remote=place.to.remote,
        url=place.url,
        target=place.target,
        onto=onto,
        base=base,
        ref=place.to.ref,
        before=place.before,
        terms=_terms(step, order),
    )
    step.hands.maintenance.keep(state.unit, place.before)
    step.intend(f"{key_of(opened.number)} opened", opened, point="maintenance.opened")
    return True


def _place(step: Step) -> _Place:
    state, to = step.stream.state, destination(step)
    noted = state.origin.noted
    if state.phase != "done":
        raise UsageError(
            f"{state.unit} is {state.phase}: only finished work is put onto a moved target",
            hint=f"unlost resume {state.unit}",
        )
    before = newest_after(state.origin.receipts, to.ref)
    if to.url is None or noted is None or noted.branch is None or before is None:
        raise UsageError(
            f"{state.unit} has nothing published that could be maintained", hint=f"unlost publish {state.unit}"
        )
    return _Place(to=to, url=to.url, before=before, target=noted.branch)


def _target_now(step: Step, place: _Place) -> str:
    """The target's commit as the remote has it now; the unit's own branch there must be what its receipt says."""
    unit, to = step.stream.unit, place.to
    standing = step.hands.remotes.read(to.remote, place.url, to.ref)
    if standing.failure is not None or standing.oid != place.before:
        raise NeedsPerson(
            f"{to.branch} at {to.remote} does not hold what {unit} published there; nothing was changed",
            hint=f"unlost publish {unit} tells what stands there",
        )
    found = step.hands.remotes.fetch(to.remote, place.url, place.target)
    if found.failure is not None or found.oid is None:
        raise NeedsPerson(
            f"{place.target} cannot be read at {to.remote} ({found.failure or 'it is gone'}); nothing was changed",
            hint=f"unlost maintain {unit}",
        )
    return found.oid


def _terms(step: Step, order: MaintenanceOrder) -> Terms | None:
    if not order.extend and not order.raise_cost:
        return None
    terms, now = step.stream.state.terms, step.hands.clock.now()
    return extended(terms, cost_usd=order.raise_cost, seconds=order.extend, now=now)


def _known_base(state: UnitState, before: str) -> str | None:
    """Where the newest rebase put the work, else the commit that the unit was admitted on."""
    bases = [each.onto for each in state.origin.receipts if isinstance(each, RebaseReceipt) and each.after == before]
    if bases:
        return bases[-1]
    return None if state.origin.noted is None else state.origin.noted.head
