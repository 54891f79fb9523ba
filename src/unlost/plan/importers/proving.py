"""A person's checks over an imported plan: what the list calls done is held to them, and the whole plan at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from unlost.facts.errors import FileInvalid, Problem
from unlost.facts.records import replace
from unlost.plan.build import task_checks
from unlost.plan.facts import MAXIMUM_CHECKS, Argv, Check, Plan, Task
from unlost.plan.importers.assembling import SAID_TO_BE_DONE

_SHELL: Final = ("sh", "-c")


def with_checks(plan: Plan, commands: Sequence[str]) -> Plan:
    """The plan with these commands, lines as a person types them, as checks of its end and of each ticked entry.

    Without a check of its own, a task whose agent found nothing to do is not done: no word is proof. Raises
    FileInvalid when they are more than a plan may have.
    """
    if not commands:
        return plan
    lines: tuple[Argv, ...] = tuple((*_SHELL, command) for command in commands)
    ticked = sum(_is_ticked(task) for task in plan.tasks)
    number = len(lines) * (ticked + 1)
    if number > MAXIMUM_CHECKS:
        what = f"{ticked} ticked entries and the end make {number} checks; a plan has at most {MAXIMUM_CHECKS}"
        raise FileInvalid(
            f"{what}; nothing was started",
            problems=(Problem(line=None, what=what),),
            hint="unlost plan import FILE -o plan.toml, and put the checks where they tell most",
        )
    tasks = tuple(
        replace(task, checks=task_checks(task.id, lines)) if _is_ticked(task) else task for task in plan.tasks
    )
    checks = tuple(Check(name=f"check-{number}", run=run) for number, run in enumerate(lines, start=1))
    return replace(plan, tasks=tasks, checks=(*plan.checks, *checks))


def _is_ticked(task: Task) -> bool:
    return task.text.startswith(SAID_TO_BE_DONE)
