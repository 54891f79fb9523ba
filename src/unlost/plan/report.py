"""What `unlost plan check` says about a file: the digest that names it, its tasks, or its problems."""

from __future__ import annotations

from typing import Any

from unlost.facts.errors import Problem
from unlost.facts.records import dataclass
from unlost.plan.digest import plan_digest
from unlost.plan.facts import Plan
from unlost.plan.parse import read_plan


@dataclass(frozen=True, kw_only=True)
class PlanReport:
    """The digest and the plan are None when there are problems."""

    digest: str | None
    plan: Plan | None
    problems: tuple[Problem, ...]

    def to_json(self) -> dict[str, Any]:
        """The report as `unlost.plan/1` (contracts.md)."""
        tasks = self.plan.tasks if self.plan else ()
        return {
            "schema": "unlost.plan/1",
            "digest": self.digest,
            "tasks": [{"id": task.id, "checks": [check.name for check in task.checks]} for task in tasks],
            "problems": [{"line": problem.line, "what": problem.what} for problem in self.problems],
        }


def plan_report(data: bytes, *, name: str) -> PlanReport:
    """The report on a plan file."""
    file = read_plan(data, name=name)
    if file.plan is None or file.problems:
        return PlanReport(digest=None, plan=None, problems=file.problems)
    return PlanReport(digest=plan_digest(file.plan), plan=file.plan, problems=())
