"""`find`: what of this repository's work still exists anywhere. Reads only, and needs no boundary.

A *find* is one content in one place. Several places may hold the same content; each is told, because each is lost
on its own day (a stash is dropped, a reflog expires).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, Literal, Protocol

from unlost.facts.records import dataclass, replace
from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Entry
from unlost.facts.words import FoundIn
from unlost.plain.wishes import is_at
from unlost.traces.local_copies import Keeper

FindPlace = FoundIn | Literal["branch"] | Keeper

MOST_FINDS: Final = 50_000
"""Finds of one place that are looked at; what lies beyond is not found, and said."""
MOST_TEXTS: Final = 20_000
"""Contents that a search for a text reads, the newest first."""
LARGEST_TEXT: Final = 4 << 20
"""Bytes of a content that a search for a text reads; a larger one is passed over."""

_CONTENTS: Final = (REGULAR, EXECUTABLE, LINK)


@dataclass(frozen=True, kw_only=True)
class Query:
    """What is looked for; nothing given: all that no commit of the present branch and no file here holds.

    `paths` are files or folders, `since` is in seconds since 1970.
    """

    paths: tuple[bytes, ...] = ()
    text: bytes | None = None
    since: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing says what is looked for: then only what is at risk is worth telling."""
        return not self.paths and self.text is None

    def wants(self, path: bytes) -> bool:
        """Whether a path is one of those, or below one."""
        return not self.paths or any(is_at(path, place) for place in self.paths)


@dataclass(frozen=True, kw_only=True)
class Find:
    """One content in one place; `path` is None for a content that lost its name, `at` None where nothing tells.

    `ref` names it there: a commit, a snapshot, `stash@{0}`, a work tree, a file of the user's. `size` is in bytes.
    """

    path: bytes | None
    place: FindPlace
    ref: str
    at: float | None
    entry: Entry
    size: int = 0


class Place(Protocol):
    """Somewhere to look: the repository, own snapshots, other programs' copies."""

    def finds(self, query: Query) -> Iterable[Find]:
        """Everything there at the paths of a query, the best first."""

    def sizes(self, oids: Iterable[str]) -> Mapping[str, int]:
        """The sizes of those contents that it has, in bytes."""

    def contents(self, oids: Iterable[str], largest: int) -> Iterator[tuple[str, bytes]]:
        """Those contents that it has and that have at most so many bytes, one at a time."""


@dataclass(frozen=True, kw_only=True)
class Search:
    """What was found, the newest first (what stands here last); `complete` is False where a bound was reached."""

    finds: tuple[Find, ...]
    complete: bool


def search(places: Iterable[Place], query: Query, *, safe: Iterable[tuple[bytes, str]] = ()) -> Search:
    """Look in every place.

    An open query leaves out the (path, content id) pairs of `safe`: what stands here or is committed.
    """
    known = frozenset(safe)
    found: list[Find] = []
    complete = True
    for place in places:
        here = list(islice(_of_interest(place, query, known), MOST_FINDS + 1))
        complete = complete and len(here) <= MOST_FINDS
        here = here[:MOST_FINDS]
        if query.text is not None:
            read = list(dict.fromkeys(find.entry.oid for find in sorted(here, key=_age)))
            complete = complete and len(read) <= MOST_TEXTS
            holding = _holding(place, read[:MOST_TEXTS], query.text)
            here = [find for find in here if find.entry.oid in holding]
        sizes = place.sizes({find.entry.oid for find in here})
        found += [replace(find, size=sizes[find.entry.oid]) for find in here if find.entry.oid in sizes]
    return Search(finds=tuple(sorted(found, key=_age)), complete=complete)


def paths_of(finds: Iterable[Find]) -> list[bytes]:
    """The paths of finds, each once, in bytewise order."""
    return sorted({find.path for find in finds if find.path is not None})


def beside(result: Search, query: Query, present: Mapping[bytes, Entry]) -> Search:
    """A result beside what stands here now: an open query leaves that out, any other tells it last."""
    lost = [find for find in result.finds if not stands(find, present)]
    here = [find for find in result.finds if stands(find, present) and not query.is_open]
    return replace(result, finds=(*lost, *here))


def stands(find: Find, present: Mapping[bytes, Entry]) -> bool:
    """Whether exactly this content stands at its path now."""
    now = None if find.path is None else present.get(find.path)
    return now is not None and now.oid == find.entry.oid


def newest_of_each(finds: Iterable[Find]) -> tuple[Find, ...]:
    """The newest find of each path, and every content without a name."""
    chosen: dict[bytes | str, Find] = {}
    for find in finds:
        chosen.setdefault(find.entry.oid if find.path is None else find.path, find)
    return tuple(chosen.values())


def _of_interest(place: Place, query: Query, safe: frozenset[tuple[bytes, str]]) -> Iterator[Find]:
    """Each content once a path and kind of place."""
    told: set[tuple[bytes | None, str, str]] = set()
    for find in place.finds(query):
        key = (find.path, find.place, find.entry.oid)
        if key in told or find.entry.mode not in _CONTENTS:
            continue
        if query.since is not None and (find.at is None or find.at < query.since):
            continue
        if query.is_open and find.path is not None and (find.path, find.entry.oid) in safe:
            continue
        told.add(key)
        yield find


def _holding(place: Place, oids: Iterable[str], text: bytes) -> frozenset[str]:
    return frozenset(oid for oid, data in place.contents(oids, LARGEST_TEXT) if text in data)


def _age(find: Find) -> tuple[float, bytes]:
    """The newest first; what tells no time last."""
    return (-find.at if find.at is not None else float("inf"), find.path or b"")
