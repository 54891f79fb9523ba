"""A plan from the command line: `unlost run --goal TEXT` and its flags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from unlost.facts.records import dataclass, replace
from unlost.plan.draft import Draft
from unlost.plan.facts import AgentChoice, Plan
from unlost.plan.parse import judge_draft, plan_of

_TASK: Final = "goal"
_SHELL: Final = ("sh", "-c")


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What a person asked for in flags. Durations are texts (`8h`); None and empty leave the plan's default.

    A check is one line as the person would type it, so a shell reads it: the words are the person's own.
    """

    text: str
    checks: Sequence[str] = ()
    paths: Sequence[str] = ()
    attempts: int | None = None
    deadline: str | None = None
    cost_usd: float | None = None


def plan_from_goal(goal: Goal, *, agent: AgentChoice) -> Plan:
    """A plan of one task that is the whole goal; the rules of a file hold. Raises FileInvalid."""
    budget = {"attempts": goal.attempts, "deadline": goal.deadline, "cost_usd": goal.cost_usd}
    values: dict[str, object] = {
        "goal": goal.text,
        "budget": {key: value for key, value in budget.items() if value is not None},
        "task": [{"id": _TASK, "text": goal.text, "check": [[*_SHELL, check] for check in goal.checks]}],
    }
    if goal.paths:
        values["scope"] = {"paths": list(goal.paths)}
    plan = plan_of(judge_draft(Draft(values=values)), name="the goal")
    return replace(plan, agent=agent)
