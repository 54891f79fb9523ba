"""Three-way merge of texts: what one side changed is put into the other, when the two do not touch."""

from __future__ import annotations

from unlost.hunks.diff import Hunk, diff
from unlost.hunks.text import exact_lines, is_binary


def merge(ancestor: bytes, mine: bytes, theirs: bytes) -> bytes | None:
    """The text with both sides' changes since the ancestor, byte for byte; None where they overlap or touch.

    The same change on both sides is taken once. Binary contents never merge.
    """
    if is_binary(ancestor) or is_binary(mine) or is_binary(theirs):
        return None
    old, left, right = exact_lines(ancestor), exact_lines(mine), exact_lines(theirs)
    changes = _woven(diff(old, left), diff(old, right), left, right)
    if changes is None:
        return None
    merged: list[bytes] = []
    position = 0
    for hunk, lines in changes:
        merged += old[position : hunk.old_start]
        merged += lines[hunk.new_start : hunk.new_end]
        position = hunk.old_end
    return b"".join(merged + old[position:])


def _woven(
    mine: list[Hunk], theirs: list[Hunk], left: list[bytes], right: list[bytes]
) -> list[tuple[Hunk, list[bytes]]] | None:
    """Both sides' hunks by place, each with the lines it takes from; None where two of them collide."""
    both = sorted([(hunk, 0, left) for hunk in mine] + [(hunk, 1, right) for hunk in theirs], key=lambda each: each[:2])
    woven: list[tuple[Hunk, list[bytes]]] = []
    for hunk, _, lines in both:
        if woven and hunk.old_start <= woven[-1][0].old_end:
            last, others = woven[-1]
            same_place = (last.old_start, last.old_end) == (hunk.old_start, hunk.old_end)
            if same_place and others[last.new_start : last.new_end] == lines[hunk.new_start : hunk.new_end]:
                continue
            return None
        woven.append((hunk, lines))
    return woven
