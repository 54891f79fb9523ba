from __future__ import annotations

import json
import tomllib

from unlost.plan.digest import plan_digest
from unlost.plan.parse import parse_plan
from unlost.plan.report import plan_report
from unlost.plan.template import PLAN_TEMPLATE


def test_template_passes_plan_check_as_it_is() -> None:
    """`plan new` writes a plan that `plan check` finds nothing wrong with."""
    report = plan_report(PLAN_TEMPLATE.encode(), name="plan.toml")

    assert report.problems == ()
    assert report.plan is not None
    assert [task.id for task in report.plan.tasks] == ["first-step", "second-step"]


def test_commented_keys_of_the_template_are_right() -> None:
    """A key that a person uncomments in the template is one that the plan knows."""
    lines = [
        line.removeprefix("# ")
        if line.startswith(("# env", "# paths", "# reverts", "# check", "# [[", "# name"))
        else line
        for line in PLAN_TEMPLATE.splitlines()
    ]
    text = "\n".join(lines).replace("# run =", "run =").replace("# timeout =", "timeout =")
    plan = parse_plan(text.encode(), name="plan.toml")

    assert tomllib.loads(text) != tomllib.loads(PLAN_TEMPLATE)
    assert plan.agent.env == ("MY_AGENT_KEY",)
    assert plan.tasks[0].checks
    assert [check.name for check in plan.checks] == ["tests"]


def test_report_of_a_good_plan() -> None:
    """contracts.md: `unlost.plan/1` with digest, tasks and no problems."""
    report = plan_report(PLAN_TEMPLATE.encode(), name="plan.toml")

    assert json.loads(json.dumps(report.to_json())) == {
        "schema": "unlost.plan/1",
        "digest": plan_digest(parse_plan(PLAN_TEMPLATE.encode(), name="plan.toml")),
        "tasks": [{"id": "first-step", "checks": []}, {"id": "second-step", "checks": []}],
        "problems": [],
    }


def test_report_of_a_bad_plan() -> None:
    """contracts.md: problems are `{line, what}`, and there is no digest to approve."""
    report = plan_report(b"goal = 3\n", name="plan.toml")

    assert report.to_json() == {
        "schema": "unlost.plan/1",
        "digest": None,
        "tasks": [],
        "problems": [
            {"line": None, "what": "a plan needs at least one task"},
            {"line": 1, "what": "goal must be text in quotes"},
        ],
    }
