"""One stretch of somebody's work on a path, put onto another content: by lines, or not at all. Pure over contents."""

from __future__ import annotations

from typing import Final, Protocol

from unlost.facts.trees import EXECUTABLE, REGULAR, Entry
from unlost.hunks.merge import merge

_FILES: Final = frozenset({REGULAR, EXECUTABLE})


class Overlaps(Exception):
    """The two works touch: nobody but a person can tell what the path should hold."""


class Contents(Protocol):
    """Where contents come from and go to."""

    def read(self, oid: str) -> bytes:
        """The content of a blob."""

    def write(self, data: bytes) -> str:
        """Store a blob and return its id."""


def put_onto(mine: Entry | None, before: Entry | None, after: Entry | None, contents: Contents) -> Entry | None:
    """What stands at a path when the work from `before` to `after` is put onto `mine`.

    None stands for nothing at the path. Raises Overlaps.
    """
    if mine in (before, after) or before == after:
        return mine if before == after else after
    if mine is None or before is None or after is None:
        raise Overlaps
    if not {mine.mode, before.mode, after.mode} <= _FILES:
        raise Overlaps
    mode = mine.mode if before.mode == after.mode else after.mode
    if mine.oid in (before.oid, after.oid) or before.oid == after.oid:
        return Entry(mode, mine.oid if before.oid == after.oid else after.oid)
    data = merge(contents.read(before.oid), contents.read(mine.oid), contents.read(after.oid))
    if data is None:
        raise Overlaps
    return Entry(mode, contents.write(data))
