"""Restore by merge: what was lost comes back, later lines stay."""

from __future__ import annotations

import pytest
from kit.story import Story

from unlost.guard.judge import references
from unlost.guard.merge import merged
from unlost.guard.sight import Sight

OLD = "".join(f"line {number}\n" for number in range(12))
MINE = OLD.replace("line 2\n", "my second line\n")


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (OLD + "later\n", MINE + "later\n"),
        (OLD, MINE),
        (None, MINE),
        (OLD.replace("line 2\n", "their second line\n"), None),
        (b"\0binary", None),
    ],
)
def test_merge_back(now: str | bytes | None, expected: str | None) -> None:
    """The claim's hunks on top of the present; refused where both touched the same lines or one is no text."""
    story = Story().write({"a": OLD}).commit().write({"a": MINE}).boundary().write({"a": now})
    claim = story.claims.by_path[b"a"]
    present = None if now is None else story.trees.put_file(now)
    older = references(claim, story.claims.boundaries, story.trees)

    result = merged(claim, present, older, Sight(story.trees, story.evidence))

    assert result == (None if expected is None else expected.encode())


def test_one_owners_hunks_come_back_beside_anothers() -> None:
    """When one of two tasks' hunks were put back, merging restores those and keeps both the other's and later lines."""
    story = Story().write({"a": OLD}).commit().boundary("admission", unit="u-1").task("one")
    story.write({"a": MINE}).done("one").task("two")
    both = MINE.replace("line 8\n", "line 8 by two\n")
    story.write({"a": both}).done("two")
    now = OLD.replace("line 8\n", "line 8 by two\n") + "later\n"
    claim = story.claims.by_path[b"a"]
    older = references(claim, story.claims.boundaries, story.trees)

    result = merged(claim, story.trees.put_file(now), older, Sight(story.trees, story.evidence))

    assert result == (both + "later\n").encode()
