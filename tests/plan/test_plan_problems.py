from __future__ import annotations

import pytest

from unlost.plan.facts import MAXIMUM_CHECKS, MAXIMUM_TASKS
from unlost.plan.parse import read_plan

TASK = '[[task]]\nid = "one"\ntext = "Do it."\n'


def told(text: str, *, name: str = "plan.toml") -> list[tuple[int | None, str]]:
    return [(problem.line, problem.what) for problem in read_plan(text.encode(), name=name).problems]


def test_all_problems_are_named_at_once_each_with_its_line() -> None:
    """contracts.md: unknown keys, duplicate ids, leaving paths, bad values: every problem named with its line."""
    text = """\
gole = "x"
[agent]
use = "clod"
[scope]
paths = [
  "src/**",
  "../x",
  3,
]
[budget]
deadline = "soon"
[[task]]
id = "one"
text = "Do it."
check = ["pytest"]
[[task]]
id = "ONE"
"""

    assert told(text) == [
        (1, "unknown key gole; did you mean goal?"),
        (
            3,
            "agent.use must be 'claude', 'codex', 'opencode', 'gemini', 'acp', 'command' or 'scripted', not \"clod\"",
        ),
        (7, "scope.paths 2: a path must not contain empty, `.` or `..` components"),
        (8, "scope.paths 3 must be text in quotes"),
        (11, "budget.deadline: a duration is written like 90s, 20m, 1h30m or 7d"),
        (15, "task 1.check 1 must be a list in [ ]"),
        (16, "task 2 needs the key text"),
        (17, "task 2 has the id of task 1"),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", (None, "a plan needs at least one task")),
        ("task = []\n", (1, "a plan needs at least one task")),
        ('[task]\nid = "a"\ntext = "b"\n', (1, "task must be a list of tables, each written [[task]]")),
        ("agent = 3\n" + TASK, (1, "agent must be a table")),
        ("[agent]\nmodle = 'x'\n" + TASK, (2, "unknown key agent.modle; did you mean model?")),
        ("[agent]\nreviewedAcceptance = true\n" + TASK, (2, "unknown key agent.reviewedAcceptance")),
        ("[agent]\nguard_hook = 1\n" + TASK, (2, "agent.guard_hook must be true or false")),
        ('[agent]\nuse = "command"\n' + TASK, (2, 'agent.use = "command" needs the key agent.command')),
        ('[agent]\nuse = "scripted"\n' + TASK, (2, 'agent.use = "scripted" needs the key agent.script')),
        (
            '[agent]\nuse = "claude"\ncommand = ["x"]\n' + TASK,
            (3, 'agent.command means nothing with agent.use = "claude"'),
        ),
        (
            '[agent]\nenv = ["UNLOST_HOME"]\n' + TASK,
            (2, "agent.env 1 must be the name of an environment variable, and none of unlost's own"),
        ),
        ("[scope]\npaths = []\n" + TASK, (2, "scope.paths names nothing; leave it out for the whole tree")),
        ('[scope]\npaths = ["/etc"]\n' + TASK, (2, "scope.paths 1: a path must be relative")),
        ('[scope]\npaths = [".git/config"]\n' + TASK, (2, "scope.paths 1: a path must not enter a version control")),
        ('[scope]\npaths = ["."]\n' + TASK, (2, "scope.paths 1: the whole tree is written `**`")),
        ("[budget]\nattempts = 0\n" + TASK, (2, "budget.attempts must be at least 1")),
        ("[budget]\nattempts = 101\n" + TASK, (2, "budget.attempts must be at most 100")),
        ("[budget]\nattempts = 1.5\n" + TASK, (2, "budget.attempts must be a whole number")),
        ("[budget]\nattempts = true\n" + TASK, (2, "budget.attempts must be a whole number")),
        ("[budget]\ncost_usd = 0\n" + TASK, (2, "budget.cost_usd must be more than 0")),
        ("[budget]\ncost_usd = nan\n" + TASK, (2, "budget.cost_usd must be a finite number")),
        ("[budget]\nidle = 600\n" + TASK, (2, 'budget.idle: a duration is text, like "90s"')),
        ('[budget]\nidle = "0s"\n' + TASK, (2, "budget.idle: a duration must be longer than zero")),
        ("[workflow]\nsteps = []\n" + TASK, (2, "workflow.steps needs at least one step")),
        ('[workflow]\nsteps = ["code", "code"]\n' + TASK, (2, "workflow.steps: each step once, in the order")),
        ('[workflow]\nsteps = ["research"]\n' + TASK, (2, "workflow.steps: research comes before code")),
        ("[research]\nshare = 0.5\n" + TASK, (2, 'research.share means nothing without "research"')),
        ('[review]\nuse = "person"\n' + TASK, (2, 'review.use means nothing without "review"')),
        (
            '[workflow]\nsteps = ["code", "review"]\n[review]\nuse = "command"\n' + TASK,
            (4, 'review.use = "command" takes agent.command'),
        ),
        ('[workflow]\nsteps = ["test"]\n' + TASK, (2, "workflow.steps 1 must be 'research', 'code'")),
        ('[publish]\nbranch = "-f"\n' + TASK, (2, "publish.branch must be the name of a branch, or empty")),
        ('[[task]]\nid = "a b"\ntext = "c"\n', (2, "task 1.id must be 1 to 64 letters")),
        ('[[task]]\nid = "person"\ntext = "c"\n', (2, "a task cannot be called person")),
        ('[[task]]\nid = "a"\ntext = " "\n', (3, "task 1.text must not be empty")),
        ('title = "a\\nb"\n' + TASK, (1, "title must be one line")),
        (f'title = "{"x" * 201}"\n' + TASK, (1, "title is longer than 200 characters")),
        (TASK + '[[check]]\nname = "t"\nrun = []\n', (6, 'check 1.run must name a program, like ["pytest", "-q"]')),
        (TASK + '[[check]]\nname = "t"\nrun = ["a\\u0000"]\n', (6, "check 1.run 1 must not hold a NUL character")),
        (TASK + '[[check]]\nname = "a/1"\nrun = ["x"]\n', (5, "check 1.name must be 1 to 64 letters")),
        (
            TASK + '[[check]]\nname = "t"\nrun = ["x"]\ncategory = "unit"\n',
            (7, "check 1.category must be 'regression'"),
        ),
        (TASK + '[[check]]\nname = "t"\nrun = ["x"]\nprotected = true\n', (7, "a protected check needs definitions")),
        (TASK + '[[check]]\nname = "t"\nrun = ["x"]\nexpected_delta = true\n', (7, "expected_delta is about")),
        (TASK + '[[check]]\nname = "t"\nrun = ["x"]\n' * 2, (8, "check 2 has the name of check 1")),
    ],
)
def test_each_bad_value_is_told(text: str, problem: tuple[int | None, str]) -> None:
    """contracts.md: bad values are exit 2 and named; N.R7: unlost has no key for what only a person records."""
    (found,) = told(text)

    assert found[0] == problem[0]
    assert found[1].startswith(problem[1])


def test_checks_of_tasks_count_towards_the_bound() -> None:
    """N.R7: at most 16 checks in a plan, task checks included."""
    task = TASK + "check = [" + '["true"], ' * 10 + "]\n"
    checks = "".join(f'[[check]]\nname = "c{number}"\nrun = ["true"]\n' for number in range(MAXIMUM_CHECKS - 10))

    assert told(task + checks) == []
    assert [what for _, what in told(task + checks + '[[check]]\nname = "x"\nrun = ["true"]\n')] == [
        "17 checks, those of the tasks included; a plan has at most 16"
    ]


def test_number_of_tasks_is_bounded() -> None:
    """contracts.md: at most 256 tasks."""
    tasks = [f'[[task]]\nid = "t{number}"\ntext = "x"\n' for number in range(MAXIMUM_TASKS + 1)]

    assert told("".join(tasks[:-1])) == []
    assert told("".join(tasks)) == [(1, "task has more than 256 entries")]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("goal = 'x'\nscope = [\n", 2),
        ("goal = 'x'\n[agent\nuse = 'x'\n", 2),
        ("goal = 'x'\ngoal = 'y'\n", 2),
        ('title = "t"\ngoal = """x\n\n\n', 2),
        ("a = 1\nb = 2024-02-30\n", 2),
        (f"a = 1\nb = {'9' * 5000}\n", 2),
    ],
)
def test_syntax_error_names_its_line(text: str, line: int) -> None:
    """contracts.md: every problem is named with its line, a fault of TOML itself too."""
    (found,) = told(text)

    assert found[0] == line
