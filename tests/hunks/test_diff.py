"""Line differences: any two texts, any repetition."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from unlost.hunks.diff import Hunk, diff

LINES = st.lists(st.sampled_from([b"", b"}", b"return x", b"a = 1", b"b = 2", b"call(a)", b"call(b)"]), max_size=40)


def applied(before: list[bytes], after: list[bytes], hunks: list[Hunk]) -> list[bytes]:
    """What the hunks make of `before`."""
    made: list[bytes] = []
    position = 0
    for hunk in hunks:
        made += before[position : hunk.old_start] + after[hunk.new_start : hunk.new_end]
        position = hunk.old_end
    return made + before[position:]


@given(before=LINES, after=LINES)
def test_hunks_turn_one_text_into_the_other(before: list[bytes], after: list[bytes]) -> None:
    """Applied to the first text, the hunks give the second; they are in order and none touches the next."""
    hunks = diff(before, after)

    assert applied(before, after, hunks) == after
    assert all(one.old_end < other.old_start or one.new_end < other.new_start for one, other in pairwise(hunks))


@given(lines=LINES)
def test_equal_texts_have_no_hunk(lines: list[bytes]) -> None:
    """A text does not differ from itself."""
    assert diff(lines, list(lines)) == []


def test_a_change_far_from_others_is_a_hunk_of_its_own() -> None:
    """Two edited lines and an inserted one in a long text are three small hunks."""
    before = [b"line %d" % number for number in range(2000)]
    after = [*before[:10], b"edited", *before[11:900], b"inserted", *before[900:1500], b"changed", *before[1501:]]

    assert diff(before, after) == [
        Hunk(10, 11, 10, 11),
        Hunk(900, 900, 900, 901),
        Hunk(1500, 1501, 1501, 1502),
    ]


def test_a_moved_block_is_found_again() -> None:
    """A large block that moved leaves what stayed in step: the hunks are the block, gone and come."""
    head, block = [b"head %d" % number for number in range(50)], [b"block %d" % number for number in range(40)]
    tail = [b"tail %d" % number for number in range(60)]

    hunks = diff(head + block + tail, head + tail + block)

    assert sum(hunk.old_end - hunk.old_start for hunk in hunks) == 40


def test_texts_without_a_common_line_are_one_hunk() -> None:
    """Beyond the bound on its work the search gives up and says: replaced whole."""
    before, after = [b"old %d" % number for number in range(3000)], [b"new %d" % number for number in range(3000)]

    assert diff(before, after) == [Hunk(0, 3000, 0, 3000)]
