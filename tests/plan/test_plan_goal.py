from __future__ import annotations

import pytest

from unlost.facts.errors import FileInvalid
from unlost.plan.digest import plan_digest
from unlost.plan.facts import AgentChoice
from unlost.plan.goal import Goal, plan_from_goal

AGENT = AgentChoice(use="command", command=("my-agent",))


def test_goal_becomes_a_plan_of_one_task() -> None:
    """contracts.md: `run --goal` with its flags is a plan like any other."""
    goal = Goal(
        text="Drop the parser.\nAll of it.\n",
        checks=("pytest -q && ruff check",),
        paths=("src/**",),
        attempts=2,
        deadline="8h",
        cost_usd=5,
    )
    plan = plan_from_goal(goal, agent=AGENT)

    assert plan.title == "Drop the parser."
    assert [task.text for task in plan.tasks] == ["Drop the parser.\nAll of it."]
    assert plan.tasks[0].checks[0].run == ("sh", "-c", "pytest -q && ruff check")
    assert plan.scope.paths == ("src/**",)
    assert (plan.budget.attempts, plan.budget.deadline, plan.budget.cost_usd) == (2, 28800.0, 5.0)
    assert plan.agent == AGENT


def test_flags_left_out_leave_the_defaults() -> None:
    """A goal alone is enough, and the same goal is the same digest."""
    plan = plan_from_goal(Goal(text="x"), agent=AGENT)

    assert plan.budget.attempts == 3
    assert plan.scope.paths == ("**",)
    assert plan_digest(plan) == plan_digest(plan_from_goal(Goal(text=" x\n"), agent=AGENT))


def test_flags_obey_the_rules_of_the_file() -> None:
    """Bad values of flags are all told at once: a leaving path, a bad duration, no attempt, an empty goal."""
    goal = Goal(text=" ", paths=("../x",), deadline="soon", attempts=0, checks=("a",) * 17)
    with pytest.raises(FileInvalid, match="the goal has 6 problems") as caught:
        plan_from_goal(goal, agent=AGENT)

    told = " ".join(problem.what for problem in caught.value.problems)
    assert all(key in told for key in ("scope.paths 1", "budget.deadline", "budget.attempts", "goal must", "17 checks"))
