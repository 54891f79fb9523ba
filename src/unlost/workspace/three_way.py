"""What one tree made since it left another goes back into it: three-way, path by path, whole or not at all. Pure rules.

A path has one base for each time its content crossed over: what the work tree was made with, then what each earlier
apply took. Where *mine* still holds one of them, *theirs* is taken; where theirs brought nothing since the newest one,
mine stays; where both moved on, their texts are merged, and what does not merge is refused for that path alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Literal, Protocol

from unlost.facts.paths import check_path
from unlost.facts.records import dataclass
from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Change, Entry
from unlost.hunks.merge import merge

TEXT_LIMIT: Final = 4 << 20
"""Larger contents are not merged, only taken or refused."""

What = Literal["taken", "merged", "standing", "conflict"]
_FILES: Final = frozenset({REGULAR, EXECUTABLE})


class Reader(Protocol):
    """What is needed of the trees."""

    def changes(self, before: str, after: str) -> Iterable[Change]:
        """What differs between two trees."""

    def entry(self, tree: str, path: bytes) -> Entry | None:
        """One file of a tree."""

    def content(self, oid: str, limit: int) -> bytes | None:
        """A content of at most so many bytes."""


@dataclass(frozen=True, kw_only=True)
class Crossing:
    """A tree whose content was on both sides once, but for the paths that were refused then."""

    tree: str
    refused: frozenset[bytes] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Landing:
    """What becomes of one path: `entry` is what it is to be; `merged` is its content when that is nobody's yet."""

    path: bytes
    what: What
    entry: Entry | None = None
    merged: bytes | None = None


def land(
    crossings: Sequence[Crossing], mine: str, theirs: str, reader: Reader, name_of: Callable[[bytes], str]
) -> tuple[Landing, ...]:
    """What becomes of every path that theirs changed since the first crossing, bytewise.

    `crossings` are oldest first, and not empty; `name_of` gives a content's object id.
    """
    paths = {change.path for change in reader.changes(crossings[0].tree, theirs)}
    # What went over at an earlier apply and was taken back since is a change, too.
    for crossing in crossings[1:]:
        paths |= {change.path for change in reader.changes(crossing.tree, theirs)} - crossing.refused
    landings = {path: _land(path, crossings, mine, theirs, reader, name_of) for path in sorted(paths)}
    return tuple(_without_collisions(landings, mine, reader).values())


def _land(
    path: bytes,
    crossings: Sequence[Crossing],
    mine: str,
    theirs: str,
    reader: Reader,
    name_of: Callable[[bytes], str],
) -> Landing:
    here, there = reader.entry(mine, path), reader.entry(theirs, path)
    if here == there:
        return Landing(path=path, what="standing", entry=here)
    crossed = [crossing for crossing in crossings if path not in crossing.refused] or [crossings[0]]
    befores = [reader.entry(crossing.tree, path) for crossing in crossed]
    if here in befores:
        return Landing(path=path, what="taken", entry=there)
    if there == befores[-1]:
        return Landing(path=path, what="standing", entry=here)
    for before in reversed(befores):
        landing = _merged(path, before, here, there, reader, name_of)
        if landing is not None:
            return landing
    return Landing(path=path, what="conflict")


def _merged(
    path: bytes,
    before: Entry | None,
    here: Entry | None,
    there: Entry | None,
    reader: Reader,
    name_of: Callable[[bytes], str],
) -> Landing | None:
    """Both sides' changes of a text; None when they do not go together."""
    if before is None or here is None or there is None:
        return None
    if not {before.mode, here.mode, there.mode} <= _FILES:
        return None
    contents = [reader.content(entry.oid, TEXT_LIMIT) for entry in (before, here, there)]
    old, left, right = contents
    if old is None or left is None or right is None:
        return None
    data = merge(old, left, right)
    if data is None:
        return None
    mode = there.mode if there.mode != before.mode else here.mode
    entry = Entry(mode, name_of(data))
    if entry == here:
        return Landing(path=path, what="standing", entry=here)
    return Landing(path=path, what="merged", entry=entry, merged=data)


def _without_collisions(landings: Mapping[bytes, Landing], mine: str, reader: Reader) -> dict[bytes, Landing]:
    """A file that would need a folder where mine has a file (or a file where mine has a folder) is refused."""
    result = dict(landings)
    gone = {path for path, each in landings.items() if each.what in ("taken", "merged") and each.entry is None}
    for path, landing in landings.items():
        if landing.what not in ("taken", "merged") or landing.entry is None:
            continue
        check_path(path)
        above = [path[:end] for end in range(len(path)) if path[end : end + 1] == b"/"]
        blocking = (each for each in above if each not in gone)
        if any(_is_file(reader.entry(mine, each)) for each in blocking):
            result[path] = Landing(path=path, what="conflict")
    return result


def _is_file(entry: Entry | None) -> bool:
    return entry is not None and entry.mode in (*_FILES, LINK)
