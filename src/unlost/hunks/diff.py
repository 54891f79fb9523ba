"""Where two sequences of lines differ.

Most versions of a file differ in a few places: equal stretches are compared as slices, and after a short change the
two sides are brought in step again. Where that does not succeed, lines that occur once on both sides become anchors
(patience), and what lies between anchors goes through Myers' greedy algorithm with a bound on its work; beyond the
bound the stretch counts as replaced whole. So the cost stays near one pass over the lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

_SLICE: Final = 64
_SHORT_CHANGE: Final = 16
_IN_STEP: Final = 3
_MOST_EDITS: Final = 200


class Hunk(NamedTuple):
    """`before[old_start:old_end]` was replaced by `after[new_start:new_end]`; one of the two may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def diff(before: Sequence[bytes], after: Sequence[bytes]) -> list[Hunk]:
    """The hunks that turn `before` into `after`, in order, not touching one another."""
    hunks: list[Hunk] = []
    old, new = _equal_until(before, after, 0, 0)
    while change := _short_change(before, after, old, new):
        hunks.append(Hunk(old, old + change[0], new, new + change[1]))
        old, new = _equal_until(before, after, old + change[0], new + change[1])
    return _joined(hunks + _by_anchors(before, after, old, new))


def unlike_middles(before: Sequence[bytes], after: Sequence[bytes]) -> tuple[Sequence[bytes], Sequence[bytes]]:
    """Both sequences without the beginning and the end that they share."""
    start, _ = _equal_until(before, after, 0, 0)
    before, after = before[start:], after[start:]
    size = _SLICE
    while size:
        part = before[-size:]
        if len(part) == size and part == after[-size:]:
            before, after = before[:-size], after[:-size]
        else:
            size //= 2
    return before, after


def fine_diff(before: Sequence[bytes], after: Sequence[bytes]) -> list[Hunk]:
    """As `diff`, for a few lines: a change and another one two lines on are told apart."""
    return _joined(_by_anchors(before, after, 0, 0))


def _equal_until(before: Sequence[bytes], after: Sequence[bytes], old: int, new: int) -> tuple[int, int]:
    """The positions of the first difference from here on; slices are compared, and halves of them, not lines."""
    size = _SLICE
    while size:
        part = before[old : old + size]
        if len(part) == size and part == after[new : new + size]:
            old += size
            new += size
        else:
            size //= 2
    return old, new


def _short_change(before: Sequence[bytes], after: Sequence[bytes], old: int, new: int) -> tuple[int, int] | None:
    """How many lines to pass over on each side until three lines agree again, a telling one first; None if many."""
    old_room, new_room = len(before) - old - _IN_STEP, len(after) - new - _IN_STEP
    for lines in range(1, _SHORT_CHANGE + 1):
        for gone in range(max(0, lines - new_room), min(lines, old_room) + 1):
            first, other = old + gone, new + lines - gone
            if (
                len(before[first]) > _IN_STEP
                and before[first] == after[other]
                and before[first : first + _IN_STEP] == after[other : other + _IN_STEP]
            ):
                return gone, lines - gone
    return None


def _by_anchors(before: Sequence[bytes], after: Sequence[bytes], old: int, new: int) -> list[Hunk]:
    """The hunks from here to the ends, found by anchors and Myers."""
    hunks: list[Hunk] = []
    # A stack and not recursion: a file may have more anchors than Python has frames.
    stack = [(old, len(before), new, len(after))]
    while stack:
        old_start, old_end, new_start, new_end = _without_common_ends(before, after, *stack.pop())
        if old_start == old_end or new_start == new_end:
            if (old_start, new_start) != (old_end, new_end):
                hunks.append(Hunk(old_start, old_end, new_start, new_end))
            continue
        anchors = _anchors(before, after, old_start, old_end, new_start, new_end)
        if not anchors:
            hunks += _myers(before, after, old_start, old_end, new_start, new_end)
            continue
        stretches = []
        for old_anchor, new_anchor in anchors:
            if old_anchor > old_start or new_anchor > new_start:
                stretches.append((old_start, old_anchor, new_start, new_anchor))
            old_start, new_start = old_anchor + 1, new_anchor + 1
        stretches.append((old_start, old_end, new_start, new_end))
        stack += reversed(stretches)
    return hunks


def _without_common_ends(
    before: Sequence[bytes], after: Sequence[bytes], old_start: int, old_end: int, new_start: int, new_end: int
) -> tuple[int, int, int, int]:
    while old_start < old_end and new_start < new_end and before[old_start] == after[new_start]:
        old_start += 1
        new_start += 1
    while old_start < old_end and new_start < new_end and before[old_end - 1] == after[new_end - 1]:
        old_end -= 1
        new_end -= 1
    return old_start, old_end, new_start, new_end


def _anchors(
    before: Sequence[bytes], after: Sequence[bytes], old_start: int, old_end: int, new_start: int, new_end: int
) -> list[tuple[int, int]]:
    """Pairs of positions of lines that occur once on each side: the longest run that rises on both."""
    old_places = _places_of_singles(before, old_start, old_end)
    new_places = _places_of_singles(after, new_start, new_end)
    pairs = [(old, new_places[line]) for line, old in old_places.items() if line in new_places]
    # Patience sorting: piles hold the smallest end of a rising run of each length.
    ends: list[int] = []
    tops: list[int] = []
    links: list[int] = []
    for number, (_, new) in enumerate(pairs):
        pile = bisect_left(ends, new)
        links.append(tops[pile - 1] if pile else -1)
        if pile == len(ends):
            ends.append(new)
            tops.append(number)
        else:
            ends[pile] = new
            tops[pile] = number
    run: list[tuple[int, int]] = []
    number = tops[-1] if tops else -1
    while number >= 0:
        run.append(pairs[number])
        number = links[number]
    return run[::-1]


def _places_of_singles(lines: Sequence[bytes], start: int, end: int) -> dict[bytes, int]:
    """Where each line stands that occurs once in the stretch, in order; blank lines are no anchors."""
    stretch = lines[start:end]
    counts = Counter(stretch)
    return {line: place for place, line in enumerate(stretch, start) if line and counts[line] == 1}


def _myers(
    before: Sequence[bytes], after: Sequence[bytes], old_start: int, old_end: int, new_start: int, new_end: int
) -> list[Hunk]:
    """A shortest edit of a stretch; the whole stretch as one hunk when that takes too many edits."""
    width, height = old_end - old_start, new_end - new_start
    reach = {1: 0}
    trail: list[dict[int, int]] = []
    for edits in range(min(width + height, _MOST_EDITS) + 1):
        trail.append(dict(reach))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
            across = reach[diagonal + 1] if down else reach[diagonal - 1] + 1
            along = across - diagonal
            while across < width and along < height and before[old_start + across] == after[new_start + along]:
                across += 1
                along += 1
            reach[diagonal] = across
            if across >= width and along >= height:
                return _retraced(trail, width, height, old_start, new_start)
    return [Hunk(old_start, old_end, new_start, new_end)]


def _retraced(trail: list[dict[int, int]], width: int, height: int, old_start: int, new_start: int) -> list[Hunk]:
    """The edits of a finished search as hunks, found from its end."""
    steps: list[Hunk] = []
    across, along = width, height
    for edits in range(len(trail) - 1, 0, -1):
        reach = trail[edits]
        diagonal = across - along
        down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
        source = diagonal + 1 if down else diagonal - 1
        from_across = reach[source]
        from_along = from_across - source
        to_across, to_along = (from_across, from_along + 1) if down else (from_across + 1, from_along)
        steps.append(Hunk(old_start + from_across, old_start + to_across, new_start + from_along, new_start + to_along))
        across, along = from_across, from_along
    return steps[::-1]


def _joined(hunks: list[Hunk]) -> list[Hunk]:
    """Hunks that touch on both sides, as one."""
    joined: list[Hunk] = []
    for hunk in hunks:
        if joined and joined[-1].old_end == hunk.old_start and joined[-1].new_end == hunk.new_start:
            last = joined.pop()
            hunk = Hunk(last.old_start, hunk.old_end, last.new_start, hunk.new_end)  # noqa: PLW2901
        joined.append(hunk)
    return joined
