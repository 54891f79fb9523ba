"""Maintenance of a published unit: one action at a time, from the moved target to a receipt, or to why not.

The loop is the engine's own: fold, ask what is next, intent, effect, outcome. The unit stays over; its work tree is
neither read nor written. Command and watch come through the same admission.
"""

from __future__ import annotations

from unlost.engine import maintenance_repair, maintenance_review
from unlost.engine.maintenance_words import key_of
from unlost.engine.ports import Hands
from unlost.engine.publishing import Destination, destination, push_commit, settle_push
from unlost.engine.step import Step, passed
from unlost.engine.stream import UnitStream
from unlost.facts.errors import NeedsPerson, UnlostError, UsageError
from unlost.facts.records import dataclass
from unlost.publish.credit import newest_after
from unlost.publish.facts import RebaseReceipt
from unlost.publish.rebase import Conflict
from unlost.unit import actions
from unlost.unit.facts import UnitState
from unlost.unit.lease import extended
from unlost.unit.maintenance import MaintenanceAction
from unlost.unit.maintenance_events import (
    MaintenanceMerged,
    MaintenanceOpened,
    MaintenanceResult,
    MaintenanceSettled,
    action_key,
)
from unlost.unit.maintenance_step import MaintenanceStep, next_step
from unlost.unit.proof import MAXIMUM_NAMED


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceOrder:
    """Who asks, and what a person gives the lease with it: seconds and dollars."""

    by: str
    extend: float = 0.0
    raise_cost: float = 0.0


def maintain(stream: UnitStream, hands: Hands, order: MaintenanceOrder) -> MaintenanceAction | None:
    """Carry the open action on, or open one when the target moved; None when the unit stands on it already.

    Raises UsageError for a unit that has nothing published to be maintained, NeedsPerson for a remote that cannot be
    read or a branch that somebody else moved, Interrupted; then nothing new was paid for.
    """
    step = Step(stream=stream, hands=hands)
    to, target = _refuse_unpublished(stream.state, step)
    if stream.state.publishing.open is not None:
        settle_push(step, actions.SettlePush())
    if stream.state.maintenance.open is None and not _open(step, to, target, order):
        return None
    while (wanted := next_step(stream.state, stream.approved, hands.clock.now())) is not None:
        _do(step, wanted)
        stream.read()
    return stream.state.maintenance.actions[-1]


def _refuse_unpublished(state: UnitState, step: Step) -> tuple[Destination, str]:
    """Where the unit's work is published, and the ref of its target. Raises UsageError."""
    to = destination(step)
    noted = state.origin.noted
    if not state.over or state.phase != "done":
        raise UsageError(
            f"{state.unit} is {state.phase}: only finished work is put onto a moved target",
            hint=f"unlost resume {state.unit}",
        )
    if to.url is None or noted is None or noted.branch is None or newest_after(state.origin.receipts, to.ref) is None:
        raise UsageError(
            f"{state.unit} has nothing published that could be maintained", hint=f"unlost publish {state.unit}"
        )
    return to, noted.branch


def _open(step: Step, to: Destination, target: str, order: MaintenanceOrder) -> bool:
    """Look at target and branch as they are at the remote, and open an action when the target moved."""
    assert to.url is not None
    state, remotes = step.stream.state, step.hands.remotes
    before = newest_after(state.origin.receipts, to.ref)
    assert before is not None
    standing = remotes.read(to.remote, to.url, to.ref)
    if standing.failure is not None or standing.oid != before:
        raise NeedsPerson(
            f"{to.branch} at {to.remote} does not hold what {state.unit} published there; nothing was changed",
            hint=f"unlost publish {state.unit} tells what stands there",
        )
    found = remotes.fetch(to.remote, to.url, target)
    if found.failure is not None or found.oid is None:
        raise NeedsPerson(
            f"{target} cannot be read at {to.remote} ({found.failure or 'it is gone'}); nothing was changed",
            hint=f"unlost maintain {state.unit}",
        )
    if step.hands.maintenance.contains(before, found.oid):
        return False
    base = step.hands.maintenance.left_at(before, found.oid, known=_known_base(state, before))
    if base is None:
        raise NeedsPerson(f"{target} has no commit in common with {to.branch}; nothing was changed")
    tried = state.maintenance.tried(before, found.oid)
    if tried is not None and tried.settled is not None:
        raise NeedsPerson(
            f"{state.unit} was put onto {found.oid[:12]} before ({tried.settled.result.replace('_', ' ')}); "
            "that is not paid for again",
            hint=f"unlost show {state.unit}",
        )
    number = len(state.maintenance.actions) + 1
    terms = None
    if order.extend or order.raise_cost:
        terms = extended(state.terms, cost_usd=order.raise_cost, seconds=order.extend, now=step.hands.clock.now())
    opened = MaintenanceOpened(
        number=number,
        action=action_key(state.unit, number),
        by=order.by,
        requester=state.requester,
        producer=None if state.origin.producer is None else state.origin.producer.attempt,
        remote=to.remote,
        url=to.url,
        target=target,
        onto=found.oid,
        base=base,
        ref=to.ref,
        before=before,
        terms=terms,
    )
    step.hands.maintenance.keep(state.unit, before)
    step.intend(f"{key_of(number)} opened", opened, point="maintenance.opened")
    return True


def _known_base(state: UnitState, before: str) -> str | None:
    """Where the newest rebase put the work, else the commit that the unit was admitted on."""
    bases = [each.onto for each in state.origin.receipts if isinstance(each, RebaseReceipt) and each.after == before]
    if bases:
        return bases[-1]
    return None if state.origin.noted is None else state.origin.noted.head


def _do(step: Step, wanted: MaintenanceStep) -> None:
    action = step.stream.state.maintenance.open
    assert action is not None
    if wanted.result is not None:
        settle(step, action, wanted.result, paths=wanted.paths)
        return
    match wanted.work:
        case "merge":
            _merge(step, action)
        case "repair":
            refusals = maintenance_repair.run_repair(step, action)
            if refusals:
                moved: MaintenanceResult = "target_moved" if refusals == ("target_moved",) else "refused"
                settle(step, action, moved, refusals=refusals)
        case "settle_repair":
            maintenance_repair.settle_repair(step, action)
        case "commit":
            maintenance_repair.commit_repair(step, action)
        case "review":
            maintenance_review.run_review(step, action)
        case "settle_review":
            maintenance_review.settle_review(step, action)
        case "findings":
            maintenance_review.take_findings(step, action)
        case _:
            _push(step, action)


def _merge(step: Step, action: MaintenanceAction) -> None:
    """Carry the commits over; asked again after a kill, it comes to the same."""
    opened = action.opened
    found = step.hands.maintenance.rebase(base=opened.base, before=opened.before, onto=opened.onto)
    passed("maintenance.merging")
    if isinstance(found, Conflict):
        merged = MaintenanceMerged(
            number=opened.number, commit=None, tree=found.tree, conflicts=found.paths[:MAXIMUM_NAMED]
        )
    else:
        step.hands.maintenance.keep(f"{step.stream.unit}-rebased", found.commit)
        merged = MaintenanceMerged(number=opened.number, commit=found.commit, tree=found.tree)
    step.record((f"{key_of(opened.number)} merged", merged, None), point="maintenance.merged")


def _push(step: Step, action: MaintenanceAction) -> None:
    """Publish the rebased work under the lease of what stood there; the receipt counts once it was read back."""
    commit = action.commit
    if commit is None:
        raise UnlostError("there is nothing to push")
    if newest_after(step.stream.state.origin.receipts, action.opened.ref) != commit:
        push_commit(step, commit)
        step.stream.read()
    if newest_after(step.stream.state.origin.receipts, action.opened.ref) != commit:
        settle(step, action, "not_pushed")
        return
    opened = action.opened
    writer = None if action.ended is None or action.ended.writer is None else action.ended.writer.identity
    receipt = RebaseReceipt(
        unit=step.stream.unit,
        producer=opened.producer,
        action=opened.action,
        target=opened.target,
        onto=opened.onto,
        branch=opened.ref,
        before=opened.before,
        after=commit,
        writer=writer,
    )
    settle(step, action, "rebased", receipt=receipt)


def settle(
    step: Step,
    action: MaintenanceAction,
    result: MaintenanceResult,
    *,
    receipt: RebaseReceipt | None = None,
    refusals: tuple[str, ...] = (),
    paths: tuple[bytes, ...] = (),
) -> None:
    """Record what an action came to."""
    settled = MaintenanceSettled(
        number=action.opened.number,
        action=action.opened.action,
        result=result,
        receipt=receipt,
        refusals=refusals,
        paths=paths[:MAXIMUM_NAMED],
    )
    step.record((f"{key_of(action.opened.number)} settled", settled, None), point="maintenance.settled")
