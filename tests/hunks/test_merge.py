"""Three-way merge of texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlost.hunks.merge import merge

ANCESTOR = b"one\ntwo\nthree\nfour\nfive\n"
CONTENT = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"d"]), max_size=8).map(b"".join)


def test_changes_apart_from_each_other_merge() -> None:
    """Lines of both sides stand in the result, byte for byte, with their own line ends."""
    mine = ANCESTOR.replace(b"two\n", b"TWO\r\n")
    theirs = ANCESTOR + b"six\n"

    assert merge(ANCESTOR, mine, theirs) == b"one\nTWO\r\nthree\nfour\nfive\nsix\n"


@pytest.mark.parametrize("theirs", [ANCESTOR.replace(b"two", b"zwei"), ANCESTOR.replace(b"three", b"drei")])
def test_changes_that_overlap_or_touch_do_not_merge(theirs: bytes) -> None:
    """Where both sides changed the same or neighbouring lines there is no clean merge."""
    assert merge(ANCESTOR, ANCESTOR.replace(b"two", b"TWO"), theirs) is None


def test_the_same_change_on_both_sides_is_taken_once() -> None:
    """What both sides did is no conflict."""
    both = ANCESTOR.replace(b"two", b"TWO")

    assert merge(ANCESTOR, both, both + b"six\n") == both + b"six\n"


def test_binary_content_never_merges() -> None:
    """A NUL on any side refuses."""
    assert merge(b"a\0", b"a\0b", b"a\0") is None


@given(ancestor=CONTENT, changed=CONTENT)
def test_an_unchanged_side_gives_the_other(ancestor: bytes, changed: bytes) -> None:
    """When one side is the ancestor the result is the other side, byte for byte."""
    assert merge(ancestor, changed, ancestor) == changed
    assert merge(ancestor, ancestor, changed) == changed
