"""What goes from one tree into another, path by path, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.trees import Content, MemoryTrees

from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Entry
from unlost.git.formats import SHA1
from unlost.workspace.three_way import Crossing, Landing, land

Files = Mapping[str, str]


def content_of(text: str) -> Content:
    """A text that begins with `!` is executable, with `@` a link."""
    mode = {"!": EXECUTABLE, "@": LINK}.get(text[:1], REGULAR)
    return mode, text.lstrip("!@")


def landed(
    base: Files, mine: Files, theirs: Files, *applied: Files, refused: frozenset[bytes] = frozenset()
) -> dict[str, Landing]:
    """What becomes of each path."""
    trees = MemoryTrees()
    names = [trees.put({path: content_of(text) for path, text in each.items()}) for each in (base, mine, theirs)]
    crossings = [Crossing(tree=names[0])]
    for each in applied:
        tree = trees.put({path: content_of(text) for path, text in each.items()})
        crossings.append(Crossing(tree=tree, refused=refused))
    landings = land(crossings, names[1], names[2], trees, lambda data: SHA1.name_of(b"blob", data))
    return {each.path.decode(): each for each in landings}


def words(found: Mapping[str, Landing]) -> dict[str, str]:
    """The word of each path."""
    return {path: each.what for path, each in found.items()}


@pytest.mark.parametrize(
    ("base", "mine", "theirs", "word"),
    [
        ("a", "a", "b", "taken"),
        ("a", "a", None, "taken"),
        (None, None, "b", "taken"),
        ("a", "b", "b", "standing"),
        ("a", None, None, "standing"),
        ("a", "mine", "b", "conflict"),
        ("a", None, "b", "conflict"),
        ("a", "mine", None, "conflict"),
        (None, "mine", "b", "conflict"),
        ("1\n2\n3\n4\n5\n", "0\n1\n2\n3\n4\n5\n", "1\n2\n3\n4\n6\n", "merged"),
        ("1\n2\n3\n", "1\nmine\n3\n", "1\ntheirs\n3\n", "conflict"),
        ("a\0", "b\0", "c\0", "conflict"),
        ("@a", "@b", "@c", "conflict"),
        ("x\n", "x\n", "!x\n", "taken"),
        ("x\n", "y\nx\n", "!x\n", "merged"),
    ],
)
def test_each_way_two_sides_can_differ(base: str | None, mine: str | None, theirs: str | None, word: str) -> None:
    """Content, deletion, mode and link: taken where mine did not move, merged where texts go together, else refused."""
    files = [{} if text is None else {"a": text} for text in (base, mine, theirs)]

    assert words(landed(*files)) == {"a": word}


def test_what_only_i_changed_is_not_spoken_of() -> None:
    """A path that theirs did not touch stays mine."""
    assert landed({"a": "1", "b": "1"}, {"a": "2", "b": "1"}, {"a": "1", "b": "1"}) == {}


def test_a_merge_keeps_both_sides_lines_and_the_new_mode() -> None:
    """The merged content has every line of both; an exec bit that theirs gained comes along."""
    found = landed({"a": "1\n2\n3\n4\n"}, {"a": "0\n1\n2\n3\n4\n"}, {"a": "!1\n2\n3\n5\n"})["a"]

    assert found.merged == b"0\n1\n2\n3\n5\n"
    assert found.entry == Entry(EXECUTABLE, SHA1.name_of(b"blob", b"0\n1\n2\n3\n5\n"))


def test_a_second_apply_brings_only_what_is_new() -> None:
    """What an earlier apply took is a base of its own: later lines of mine stay, nothing is asked twice."""
    base, first = {"a": "1\n", "b": "1\n"}, {"a": "2\n", "b": "2\n"}

    found = landed(base, {"a": "2\nmine\n", "b": "2\n"}, {"a": "2\n", "b": "3\n"}, first)

    assert words(found) == {"a": "standing", "b": "taken"}


def test_what_was_taken_back_can_be_applied_again() -> None:
    """After an undo mine is as before the first apply: the same content goes over once more."""
    assert words(landed({"a": "1\n"}, {"a": "1\n"}, {"a": "2\n"}, {"a": "2\n"})) == {"a": "taken"}


def test_a_path_that_was_refused_did_not_cross() -> None:
    """A conflict of an earlier apply is still one: that apply is no base for it."""
    found = landed({"a": "1\n"}, {"a": "mine\n"}, {"a": "2\n"}, {"a": "2\n"}, refused=frozenset({b"a"}))

    assert words(found) == {"a": "conflict"}


def test_a_file_where_mine_has_a_folder_or_the_other_way_is_refused() -> None:
    """No file of mine is displaced for a folder that theirs needs."""
    assert words(landed({}, {"a": "mine"}, {"a/b": "theirs"})) == {"a/b": "conflict"}
    assert words(landed({"a": "1"}, {"a": "1"}, {"a/b": "theirs"})) == {"a": "taken", "a/b": "taken"}


@given(
    st.dictionaries(st.sampled_from("abc"), st.sampled_from(["1\n", "2\n", "1\n2\n", "!1\n"])),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from(["1\n", "2\n", "1\n2\n", "!1\n"])),
    st.dictionaries(st.sampled_from("abc"), st.sampled_from(["1\n", "2\n", "1\n2\n", "!1\n"])),
)
def test_applying_is_never_a_loss(base: Files, mine: Files, theirs: Files) -> None:
    """A path is taken only where mine is as it was at a crossing, so nothing that is mine alone goes."""
    for path, landing in landed(base, mine, theirs).items():
        if landing.what == "taken":
            assert mine.get(path) == base.get(path)
