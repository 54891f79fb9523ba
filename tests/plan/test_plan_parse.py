from __future__ import annotations

import dataclasses

import pytest

from unlost.facts.errors import FileInvalid
from unlost.plan import facts
from unlost.plan.build import TABLES
from unlost.plan.parse import parse_plan, read_plan

SMALLEST = b'[[task]]\nid = "one"\ntext = "Do it."\n'
EVERY_KEY = b'''
title = "Drop the legacy parser"
goal = """
The request, verbatim.
"""
[agent]
use = "acp"
model = "large"
command = ["my-agent", "--stdio"]
env = ["MY_KEY"]
home = "own"
permissions = "all"
sandbox = "bwrap"
guard_hook = false
[scope]
paths = ["src/**", "tests/**"]
scratch = ["*.bak"]
[budget]
deadline = "1h30m"
cost_usd = 20
tokens = 1000
attempts = 2
turns = 50
idle = "5m"
grace = "10s"
[limits]
auto_resume = false
max_wait = "1h"
[workflow]
steps = ["research", "code", "review", "publish"]
[research]
turns = 10
share = 0.5
answer_timeout = "never"
[resume]
restore = "always"
[guard]
on_loss = "restore"
[workspace]
mode = "worktree"
setup = [["make", "setup"]]
[commit]
mode = "each_task"
hooks = true
[review]
use = "codex"
rounds = 3
[publish]
remote = "upstream"
branch = "topic/parser"
[[task]]
id = "swap-call-sites"
text = "Swap them."
acceptance = ["No caller is left."]
paths = ["src/cli.py"]
reverts = ["src/old.py"]
check = [["pytest", "-q", "tests/test_cli.py"], ["true"]]
[[check]]
name = "new"
run = ["pytest", "-q"]
timeout = "1m"
category = "candidate"
definitions = ["tests/**"]
protected = true
expected_delta = true
writes = true
[[check]]
name = "install"
run = ["make", "install"]
category = "setup"
'''


def test_smallest_plan_gets_every_default() -> None:
    """contracts.md: a plan needs a task; every other key has a default."""
    plan = parse_plan(SMALLEST, name="plan.toml")

    assert plan == facts.Plan(title="Do it.", goal="Do it.", tasks=(facts.Task(id="one", text="Do it."),))
    assert plan.scope.paths == ("**",)
    assert (plan.budget.deadline, plan.budget.attempts, plan.budget.turns) == (14400.0, 3, 200)
    assert plan.budget.cost_usd is None


def test_every_key_is_taken_over() -> None:
    """contracts.md: every key of the plan reaches the facts."""
    plan = parse_plan(EVERY_KEY, name="plan.toml")

    assert plan.goal == "The request, verbatim."
    assert plan.agent == facts.AgentChoice(
        use="acp",
        model="large",
        command=("my-agent", "--stdio"),
        env=("MY_KEY",),
        home="own",
        permissions="all",
        sandbox="bwrap",
        guard_hook=False,
    )
    assert plan.budget == facts.Budget(
        deadline=5400.0, cost_usd=20.0, tokens=1000, attempts=2, turns=50, idle=300.0, grace=10.0
    )
    assert plan.research == facts.ResearchRules(turns=10, share=0.5, answer_timeout=None)
    assert plan.workspace == facts.WorkspaceRules(mode="worktree", setup=(("make", "setup"),))
    assert plan.publish == facts.PublishRules(remote="upstream", branch="topic/parser")
    assert plan.tasks[0].reverts == ("src/old.py",)


def test_no_key_of_the_example_keeps_its_default() -> None:
    """The example above says something different from the default for every key, so that no key can be dropped."""
    plan = parse_plan(EVERY_KEY, name="plan.toml")
    kept = [
        f"{table}.{field.name}"
        for table, kind in TABLES.items()
        for field in dataclasses.fields(kind)
        if getattr(getattr(plan, table), field.name) == getattr(kind(), field.name)
    ]

    assert kept == ["agent.script"], "script belongs to another agent than command does"


def test_checks_of_a_task_are_named_by_their_place() -> None:
    """contracts.md: a task's `check` is a list of argv lists; each is a check with a name no `[[check]]` can have."""
    task = parse_plan(EVERY_KEY, name="plan.toml").task("swap-call-sites")

    assert [(check.name, check.run) for check in task.checks] == [
        ("swap-call-sites/1", ("pytest", "-q", "tests/test_cli.py")),
        ("swap-call-sites/2", ("true",)),
    ]


def test_setup_checks_come_first() -> None:
    """N.R7: setup prepares the others, so it runs before them wherever the plan wrote it."""
    assert [check.name for check in parse_plan(EVERY_KEY, name="plan.toml").checks] == ["install", "new"]


def test_title_comes_from_the_goal_and_goal_from_the_title() -> None:
    """A plan that gives one of the two has both."""
    by_goal = parse_plan(b'goal = "First line.\\nMore."\n' + SMALLEST, name="plan.toml")
    by_title = parse_plan(b'title = "A title"\n' + SMALLEST, name="plan.toml")

    assert by_goal.title == "First line."
    assert by_title.goal == "A title"


def test_windows_file_is_read() -> None:
    """A byte order mark and CRLF line ends, as editors on Windows write them, change nothing."""
    windows = b"\xef\xbb\xbf" + EVERY_KEY.replace(b"\n", b"\r\n")

    assert parse_plan(windows, name="plan.toml") == parse_plan(EVERY_KEY, name="plan.toml")


def test_unknown_task_is_a_key_error() -> None:
    """`Plan.task` answers for ids of the plan alone."""
    with pytest.raises(KeyError):
        parse_plan(SMALLEST, name="plan.toml").task("two")


def test_keys_know_their_lines() -> None:
    """`plan check` names lines for faults found later, so a good file keeps the line of each key."""
    file = read_plan(EVERY_KEY, name="plan.toml")

    assert file.problems == ()
    assert file.lines["agent", "use"] == 7
    assert file.lines["scope", "paths", 1] == 16


def test_invalid_file_raises_with_its_problems() -> None:
    """Exit 2, the file named, nothing started."""
    with pytest.raises(FileInvalid) as caught:
        parse_plan(b"goal = 3\n", name="plan.toml")

    assert caught.value.exit_code == 2
    assert caught.value.message == "plan.toml has 2 problems; nothing was started"
    assert [problem.line for problem in caught.value.problems] == [None, 1]
