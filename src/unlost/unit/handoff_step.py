"""What is done about the work of an attempt that is not done, before another one is paid for (H.27): pure."""

from __future__ import annotations

from unlost.plan.facts import RestoreChoice
from unlost.unit.actions import Action, Block, BringBack, VerifyHandoff
from unlost.unit.facts import TaskRecord, UnitState
from unlost.unit.handoff import HandoffRecord


def handoff_action(state: UnitState, task: TaskRecord, choice: RestoreChoice) -> Action | None:
    """The next action about the newest handoff of a task; None when another attempt may be paid for.

    The tree must have been proven. Work that can be brought back is, on the plan's or the person's word; without one
    the unit waits once. What a restore could not bring back waits once more.
    """
    attempt = task.last_that_ran(state.revision)
    if attempt is None:
        return None
    record = attempt.handoff
    if record is not None and record.restoring is not None:
        return BringBack(task=task.id, attempt=attempt.number, paths=record.restoring)
    if record is None or record.verified is None or record.verified.tree != state.tree_now:
        return VerifyHandoff(task=task.id, attempt=attempt.number)
    found = record.verified
    if not found.recoverable_count:
        return None
    if _may_bring_back(state, record, choice):
        return BringBack(task=task.id, attempt=attempt.number, paths=found.recoverable)
    if choice == "never" or record.is_waived(state.resumed_at):
        return None
    return Block(reason="recoverable", task=task.id, paths=found.recoverable, count=found.recoverable_count)


def _may_bring_back(state: UnitState, record: HandoffRecord, choice: RestoreChoice) -> bool:
    """Whether the person's newest word, or the plan's for the first time, is still to be carried out."""
    return (state.restore_lost and record.tried_at < state.resumed_at) or (choice == "always" and not record.tries)
