from __future__ import annotations

import pytest

from unlost.plan.digest import plan_digest
from unlost.plan.facts import Plan
from unlost.plan.markdown import slug
from unlost.plan.parse import parse_plan, read_plan

HEAD = """\
# Drop the legacy parser

```toml
[agent]
use = "command"
command = ["my-agent"]
```

"""
PLAN = (
    HEAD
    + """\
The request, verbatim.
It has two lines.

## Swap the *call* sites! ##

Every caller of `legacy_parse`.

```python
## not a task
```

```toml
paths = ["src/cli.py"]
check = [["pytest", "-q"]]
```

### Acceptance

- No caller is left,
  not even in tests.
- [ ] The tests pass.

After the list.

## Delete the parser
"""
)
SAME_IN_TOML = '''
title = "Drop the legacy parser"
goal = """The request, verbatim.
It has two lines."""
[agent]
use = "command"
command = ["my-agent"]
[[task]]
id = "swap-the-call-sites"
text = """
Every caller of `legacy_parse`.

```python
## not a task
```

After the list.
"""
acceptance = ["No caller is left, not even in tests.", "The tests pass."]
paths = ["src/cli.py"]
check = [["pytest", "-q"]]
[[task]]
id = "delete-the-parser"
text = "Delete the parser"
'''


def markdown(text: str) -> Plan:
    return parse_plan(text.encode(), name="plan.md")


def told(text: str) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.what) for problem in read_plan(text.encode(), name="plan.md").problems]


def test_sections_are_tasks() -> None:
    """contracts.md: a Markdown plan has a fenced `toml` head, and its `## ` sections are the tasks."""
    plan = markdown(PLAN)

    assert plan.title == "Drop the legacy parser"
    assert plan.goal == "The request, verbatim.\nIt has two lines."
    assert [task.id for task in plan.tasks] == ["swap-the-call-sites", "delete-the-parser"]
    assert plan.tasks[0].acceptance == ("No caller is left, not even in tests.", "The tests pass.")
    assert plan.tasks[0].paths == ("src/cli.py",)
    assert plan.tasks[0].checks[0].run == ("pytest", "-q")
    assert "## not a task" in plan.tasks[0].text
    assert plan.tasks[0].text.endswith("After the list.")
    assert plan.tasks[1].text == "Delete the parser", "a section of one line says there what to do"


def test_same_plan_in_toml_has_the_same_digest() -> None:
    """The digest names what is asked, not how the file is written."""
    assert markdown(PLAN).tasks == parse_plan(SAME_IN_TOML.encode(), name="plan.toml").tasks
    assert plan_digest(markdown(PLAN)) == plan_digest(parse_plan(SAME_IN_TOML.encode(), name="plan.toml"))


def test_problems_carry_lines_of_the_markdown_file() -> None:
    """Lines count from the top of the file, in the head, in a section's keys and in its prose."""
    text = HEAD.replace("use =", "usee =") + '## A\n```toml\npath = ["x"]\n```\n\n## 日本\n\nText.\n\n## a\n'

    assert told(text) == [
        (5, "unknown key agent.usee; did you mean use?"),
        (11, "unknown key task 1.path; did you mean paths?"),
        (14, "task 2.id must be 1 to 64 letters, digits, `.`, `_` or `-`, the first a letter or digit"),
        (18, "task 3 has the id of task 1"),
    ]


def test_faults_of_every_block_are_told_together() -> None:
    """A syntax error of one block hides no other problem."""
    text = "# T\n```toml\ngoal =\n```\n## A\n```toml\npaths = [\n```\n## B\n```toml\nx = 1\n```\n"

    assert [(line, what.split(":")[0]) for line, what in told(text)] == [
        (3, "not valid TOML"),
        (7, "not valid TOML"),
        (11, "unknown key task 2.x"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        (HEAD.replace("[agent]", 'title = "Other"\n[agent]') + "## A\n", 1, "`title` is given twice"),
        (HEAD.replace("[agent]", 'goal = "Other"\n[agent]') + "Prose.\n## A\n", 10, "`goal` is given twice"),
        (HEAD + '## A\nProse.\n```toml\ntext = "Other"\n```\n', 10, "`text` is given twice"),
        (HEAD + "## A\n```toml\n```\n```toml\n```\n", 12, "a second ```toml block"),
        (HEAD + "```toml\nx = 1\n```\n## A\n", 9, "a second ```toml block"),
        (HEAD + "## A\n```python\n## B\n", 10, "this fence is never closed"),
        (HEAD.replace("[agent]", '[[task]]\nid = "x"\n[agent]') + "## A\n", 4, "the tasks of a Markdown plan are its"),
        (HEAD, None, "a plan needs at least one task"),
        (HEAD + "##\n", 9, "task 1.id must be"),
    ],
)
def test_what_would_be_dropped_is_refused(text: str, line: int | None, what: str) -> None:
    """Nothing that a person wrote is silently left out: said twice, fenced twice, swallowed, or a task in the head."""
    assert any(found == line and told_what.startswith(what) for found, told_what in told(text)), told(text)


def test_key_and_prose_may_say_the_same() -> None:
    """What is given twice with the same words is no contradiction."""
    head = HEAD.replace("[agent]", 'title = "Drop the legacy parser"\n[agent]')

    assert markdown(head + "## A\n").title == "Drop the legacy parser"


def test_id_of_a_section_can_be_given() -> None:
    """A section's keys override the slug of its title, for a title that has no ASCII letter too."""
    assert markdown(HEAD + '## 日本\nText.\n```toml\nid = "japan"\n```\n').tasks[0].id == "japan"


@pytest.mark.parametrize(
    "heading", ["### Acceptance", "**Acceptance:**", "Acceptance:", "#### acceptance criteria", "__Acceptance__"]
)
def test_acceptance_is_a_list_under_that_word(heading: str) -> None:
    """However Markdown writers head it, the list below is the acceptance; without a list it is text."""
    task = markdown(f"{HEAD}## A\nText.\n\n{heading}\n\n1. One.\n2) Two.\n").tasks[0]
    alone = markdown(f"{HEAD}## A\nText.\n\n{heading}\n\nNo list.\n").tasks[0]

    assert task.acceptance == ("One.", "Two.")
    assert task.text == "Text."
    assert alone.acceptance == ()
    assert heading in alone.text


def test_fences_follow_commonmark() -> None:
    """A fence is closed by the same character, at least as long; tildes fence too; its inside is text."""
    text = f"{HEAD}## A\nText.\n````text\n```\n## B\n````\n~~~\n## C\n```\n~~~\n## D\n"

    assert [task.id for task in markdown(text).tasks] == ["a", "d"]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Swap the call sites!", "swap-the-call-sites"),
        ("Füge Größe hinzu", "fuge-groe-hinzu"),
        ("  `a_b`  ", "a-b"),
        ("日本", ""),
        ("x" * 100, "x" * 60),
    ],
)
def test_slug_of_a_title(title: str, expected: str) -> None:
    """An id made from a title holds lower-case ASCII letters, digits and dashes, at most 60."""
    assert slug(title) == expected
