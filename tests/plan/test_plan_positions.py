from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
import tomlkit
from hypothesis import given, settings
from hypothesis import strategies as st

from unlost.plan.draft import KeyPath, key_text, line_of
from unlost.plan.positions import DEEPEST, NestedTooDeeply, key_lines

KEYS = st.text(alphabet="abcé .-_'\"#[=", min_size=1, max_size=4)
SCALARS = st.one_of(
    st.integers(-5, 5), st.booleans(), st.dates(), st.floats(allow_nan=False), st.text(alphabet="ab'\"\\#[]{}\n=,.é")
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=12,
)


def paths_in(value: Any, path: KeyPath = ()) -> set[KeyPath]:
    """Every key and list item that stands in a value."""
    items: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return {(*path, key) for key, _ in items}.union(*(paths_in(inner, (*path, key)) for key, inner in items))


@settings(max_examples=300)
@given(document=st.dictionaries(st.text(alphabet="abc", min_size=1, max_size=3), VALUES, max_size=4))
def test_every_key_of_a_valid_text_is_found(document: dict[str, Any]) -> None:
    """Whatever TOML holds (strings with brackets, nested lists, dotted headers), each key and item gets a line."""
    text = tomlkit.dumps(document)

    assert paths_in(tomllib.loads(text)) <= set(key_lines(text))


def test_lines_of_tables_lists_and_strings() -> None:
    """Lines count from 1, through multi-line strings and lists, comments, dotted keys and lists of tables."""
    text = '''\
title = """
[not] = "a key"
"""
a.b = 1  # dotted
"quoted key" = { inner = [1,
  2] }

[[task]]
id = 'x'
check = [
  ["a"],  # first
  ["b", "c"],
]
[task.more]
y = 1979-05-27 07:32:00
[[task]]
id = "z"
'''
    lines = key_lines(text)

    assert lines["title",] == 1
    assert lines["a", "b"] == 4
    assert lines["quoted key", "inner", 1] == 6
    assert lines["task", 0] == 8
    assert lines["task", 0, "check", 1] == 12
    assert lines["task", 0, "more", "y"] == 15
    assert lines["task", 1, "id"] == 17
    assert ("not",) not in lines


def test_scan_of_an_invalid_text_stops_at_the_fault() -> None:
    """What stands before the fault keeps its lines; nothing is raised, for `tomllib` names the fault."""
    assert key_lines('a = 1\nb = "never closed\nc = 2\n') == {("a",): 1, ("b",): 2}


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\na = " + "[" * (DEEPEST + 2),
        "x = 1\na = " + "{a = " * (DEEPEST + 2),
        "x = 1\n" + "a." * (DEEPEST + 2) + "a = 1",
        "x = 1\n[" + "a." * (DEEPEST + 2) + "a]",
    ],
)
def test_deep_nesting_is_refused_before_anything_recurses(text: str) -> None:
    """N.R1: depth is bounded by us, and the line of the bound is named."""
    with pytest.raises(NestedTooDeeply) as caught:
        key_lines(text)

    assert caught.value.line == 2


def test_unknown_place_falls_back_to_the_table_around_it() -> None:
    """A missing key is told at its table's line; a value nobody wrote has none."""
    lines: dict[KeyPath, int] = {("task", 0): 7}

    assert line_of(lines, ("task", 0, "text")) == 7
    assert line_of(lines, ("goal",)) is None


def test_key_path_is_read_by_people() -> None:
    """List items count from 1, and a key that is no bare TOML key stands as an ASCII JSON string."""
    assert key_text(("task", 0, "paths", 1)) == "task 1.paths 2"
    assert key_text(("agent", "a\u202eb")) == "agent." + json.dumps("a\u202eb")
