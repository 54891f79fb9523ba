"""From the judged tables of a plan file to the facts of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from unlost.plan import facts

TABLES: Final = {
    "agent": facts.AgentChoice,
    "scope": facts.Scope,
    "budget": facts.Budget,
    "limits": facts.Limits,
    "workflow": facts.Workflow,
    "research": facts.ResearchRules,
    "resume": facts.ResumeRules,
    "guard": facts.GuardRules,
    "workspace": facts.WorkspaceRules,
    "commit": facts.CommitRules,
    "review": facts.ReviewRules,
    "publish": facts.PublishRules,
}
"""The table of the file that each class of `plan/facts.py` describes; tasks and checks stand apart."""

_LONGEST_DERIVED_TITLE: Final = 80
_RUNNING_ORDER: Final = ("setup", "regression", "candidate")

Table = Mapping[str, Any]


def build_plan(values: Table) -> facts.Plan:
    """The plan of values that every rule has passed; keys that were left out get their defaults.

    A plan without a title is called after the first line of its goal, or of its first task; a plan
    without a goal has its title for one. Checks stand in the order they run: setup first, then those that
    guard what there was, then those that prove what is new.
    """
    tasks = tuple(_task(table) for table in values["task"])
    checks = (facts.Check(**table) for table in values.get("check", ()))
    title = values.get("title") or _derived_title(values.get("goal") or tasks[0].text)
    return facts.Plan(
        title=title,
        goal=values.get("goal") or title,
        tasks=tasks,
        checks=tuple(sorted(checks, key=lambda check: _RUNNING_ORDER.index(check.category))),
        **{name: kind(**values.get(name, {})) for name, kind in TABLES.items()},
    )


def task_checks(task_id: str, commands: tuple[facts.Argv, ...]) -> tuple[facts.Check, ...]:
    """The checks of a task, named `<id>/1`, `<id>/2`, …; a slash is in no name that a person gives."""
    return tuple(facts.Check(name=f"{task_id}/{number}", run=run) for number, run in enumerate(commands, start=1))


def _task(table: Table) -> facts.Task:
    rest = {key: value for key, value in table.items() if key != "check"}
    return facts.Task(**rest, checks=task_checks(table["id"], table.get("check", ())))


def _derived_title(text: str) -> str:
    return text.partition("\n")[0].strip()[:_LONGEST_DERIVED_TITLE].rstrip()
