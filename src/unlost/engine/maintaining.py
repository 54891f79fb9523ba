"""Maintenance of a published unit: one action at a time, from the moved target to a receipt, or to why not.

The loop is the engine's own: fold, ask what is next, intent, effect, outcome. The unit stays over; its work tree is
neither read nor written. Command and watch come through the same admission.
"""

from __future__ import annotations

from unlost.engine import maintenance_repair, maintenance_review
from unlost.engine.maintenance_opening import MaintenanceOrder, open_action, refuse_unpublished
from unlost.engine.maintenance_words import key_of
from unlost.engine.ports import Hands
from unlost.engine.publishing import push_commit, settle_push
from unlost.engine.step import Step, passed
from unlost.engine.stream import UnitStream
from unlost.facts.errors import UnlostError
from unlost.publish.credit import newest_after
from unlost.publish.facts import RebaseReceipt
from unlost.publish.rebase import Conflict
from unlost.unit import actions
from unlost.unit.maintenance import MaintenanceAction
from unlost.unit.maintenance_events import (
    MaintenanceMerged,
    MaintenanceResult,
    MaintenanceSettled,
)
from unlost.unit.maintenance_step import MaintenanceStep, next_step
from unlost.unit.proof import MAXIMUM_NAMED


def maintain(stream: UnitStream, hands: Hands, order: MaintenanceOrder) -> MaintenanceAction | None:
    """Carry the open action on, or open one when the target moved; None when the unit stands on it already.

    Raises UsageError for a unit that has nothing published to be maintained, NeedsPerson for a remote that cannot be
    read or a branch that somebody else moved, Interrupted; then nothing new was paid for.
    """
    step = Step(stream=stream, hands=hands)
    refuse_unpublished(step)
    if stream.state.publishing.open is not None:
        settle_push(step, actions.SettlePush())
    if stream.state.maintenance.open is None and not open_action(step, order):
        return None
    while (wanted := next_step(stream.state, stream.approved, hands.clock.now())) is not None:
        _do(step, wanted)
        stream.read()
    return stream.state.maintenance.actions[-1]


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
