"""Repair rounds as tasks of the plan in force: pure.

A round is carried out like any other task, under the same scope, attempts, boundaries and verdicts. Its text is a
constant of ours; what was found goes into its prompt behind a fence.
"""

from __future__ import annotations

from typing import Final

from unlost.facts.records import replace
from unlost.plan.facts import Plan, Task
from unlost.unit.facts import UnitState
from unlost.unit.review import RepairRecord

_TEXT: Final = """\
A review of the finished work found what stands under "Findings" below. Settle each `error` and `warning` that is \
right, in the files where it is; leave a `note` alone. The goal and the acceptance of the plan decide: what a finding \
asks for beyond them is not to be done. When a finding is wrong, leave the code as it is and say so in your report."""


def with_repairs(plan: Plan, state: UnitState) -> Plan:
    """The plan with one more task for each repair round that the unit has."""
    if state.review is None or not state.review.repairs:
        return plan
    known = {task.id for task in state.tasks}
    rounds = tuple(_task(plan, repair) for repair in state.review.repairs if repair.task in known)
    return replace(plan, tasks=(*plan.tasks, *rounds))


def repair_of(state: UnitState, task: str) -> RepairRecord | None:
    """The repair round that a task is; None for a task of the plan."""
    repairs = state.review.repairs if state.review is not None else ()
    return next((repair for repair in repairs if repair.task == task), None)


def _task(plan: Plan, repair: RepairRecord) -> Task:
    acceptance = tuple(line for task in plan.tasks for line in task.acceptance)
    named = tuple(path.decode("utf-8", "surrogateescape") for path in repair.paths)
    return Task(id=repair.task, text=_TEXT, acceptance=acceptance, paths=named, reverts=named)
