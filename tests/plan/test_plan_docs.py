from __future__ import annotations

import dataclasses
import json
import re
import types
import typing
from pathlib import Path
from typing import Any, Final

import pytest

from unlost.facts.durations import parse_duration
from unlost.plan import facts
from unlost.plan.build import TABLES
from unlost.plan.fences import fenced, lines_of
from unlost.plan.parse import parse_plan, read_plan

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
REFERENCE: Final = (DOCS / "reference" / "plan.md").read_text(encoding="utf-8")
GUIDE: Final = (DOCS / "guides" / "first-plan.md").read_text(encoding="utf-8")
KINDS: Final[dict[str, Any]] = {
    **{f"`[{name}]`": kind for name, kind in TABLES.items()},
    "`[[task]]`": facts.Task,
    "`[[check]]`": facts.Check,
}
KEYS: Final = [
    (heading, field) for heading, kind in KINDS.items() for field in dataclasses.fields(kind) if field.name != "checks"
]


def rows(heading: str) -> dict[str, tuple[str, str]]:
    """{key: (default, meaning)} of the table under a heading of the reference."""
    section = REFERENCE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return {
        key: (default, meaning)
        for key, default, meaning in re.findall(r"^\| `(\w+)` \| (.*?) \| (.*) \|$", section, re.MULTILINE)
    }


def default_of(text: str) -> Any:
    """The value that a cell of the column `default` stands for."""
    return None if text == "none" else json.loads(text.strip("`"))


def words_of(kind: Any) -> set[str]:
    """The words that a type allows, in tuples and unions too."""
    if typing.get_origin(kind) is typing.Literal:
        return set(typing.get_args(kind))
    if typing.get_origin(kind) in (tuple, typing.Union, types.UnionType):
        return set().union(*(words_of(argument) for argument in typing.get_args(kind)))
    return set()


@pytest.mark.parametrize(("heading", "field"), KEYS, ids=lambda value: getattr(value, "name", str(value)))
def test_reference_has_every_key_with_its_default(heading: str, field: dataclasses.Field[Any]) -> None:
    """docs/reference/plan.md names every key of every table, with the default of the code and every word it takes."""
    default, meaning = rows(heading)[field.name]
    if field.default is dataclasses.MISSING:
        assert default == "required"
    else:
        shown = default_of(default)
        expected = list(field.default) if isinstance(field.default, tuple) else field.default
        assert (parse_duration(shown) if isinstance(expected, float) and isinstance(shown, str) else shown) == expected
    kind = typing.get_type_hints(KINDS[heading])[field.name]
    if heading != "`[review]`":
        assert words_of(kind) <= set(re.findall(r"`\"?(\w+)\"?`", meaning))


@pytest.mark.parametrize("heading", KINDS)
def test_reference_has_no_key_that_does_not_exist(heading: str) -> None:
    """A key in the reference is a key of the plan; a task's `check` is `checks` in the facts."""
    names = {field.name for field in dataclasses.fields(KINDS[heading])}
    known = {"check" if heading == "`[[task]]`" and name == "checks" else name for name in names}

    assert set(rows(heading)) == known


def test_reference_has_every_table_and_top_level_key() -> None:
    """Every field of a plan is a table, a list of tables or a key of the top level."""
    fields = {field.name for field in dataclasses.fields(facts.Plan)} - {"tasks", "checks"}

    assert fields == set(TABLES) | set(rows("Top level"))


def test_bounds_in_the_reference_are_those_of_the_code() -> None:
    """The bounds that the reference states are the bounds that hold."""
    kibibytes = facts.MAXIMUM_BYTES // 1024

    assert f"At most {facts.MAXIMUM_TASKS} tasks, {facts.MAXIMUM_CHECKS} checks" in REFERENCE
    assert f"{kibibytes} KiB" in REFERENCE


@pytest.mark.parametrize("page", [REFERENCE, GUIDE], ids=["reference", "guide"])
def test_toml_examples_are_plans(page: str) -> None:
    """A reader may copy an example: it parses."""
    examples = fenced(tuple(lines_of(page)), "toml")

    assert examples
    for example in examples:
        parse_plan(example.text.encode(), name="plan.toml")


def test_markdown_example_is_a_plan() -> None:
    """The Markdown plan in the reference says what the text beside it says."""
    (example,) = fenced(tuple(lines_of(REFERENCE)), "markdown")
    file = read_plan(example.text.encode(), name="plan.md")

    assert file.problems == ()
    assert file.plan is not None
    assert [task.id for task in file.plan.tasks] == ["swap-the-call-sites"]
    assert file.plan.tasks[0].acceptance == ("No caller of legacy_parse is left in src/.",)


def test_guide_example_is_what_the_guide_says() -> None:
    """The guide's plan has two tasks in its scope, one with a check, and a check with a definition."""
    (example,) = fenced(tuple(lines_of(GUIDE)), "toml")
    plan = parse_plan(example.text.encode(), name="plan.toml")

    assert [task.id for task in plan.tasks] == ["swap-call-sites", "delete-the-parser"]
    assert plan.tasks[1].paths == ("src/legacy.py", "tests/test_legacy.py")
    assert plan.checks[0].definitions == ("pytest.ini",)
