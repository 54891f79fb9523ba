"""Look for a handoff's open fixes in the versions that a store keeps.

A version counts only when the fix *stands* in it: a stash that merely names the file would bring back somebody
else's edit. The number of versions read is bounded by what is still open, the memory by one batch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from unlost.facts.records import dataclass, field, replace
from unlost.handoff.classify import Body, Wording, classify, classify_file
from unlost.handoff.places import Held, Store
from unlost.handoff.report import Place

_VERSIONS_AT_ONCE: Final = 16
_MOST_STRAYS: Final = 20_000
_STRAYS_AT_ONCE: Final = 512
_LEAST_STRAY: Final = 6
"""Bytes of an `after` that is looked for in contents without a name."""
_LIKENESS: Final = 0.5
"""The share of HEAD's lines that a nameless content must have to be a version of that file."""


@dataclass(frozen=True, kw_only=True)
class OpenFile:
    """A file with fixes that do not stand in the tree: all its wordings, which of them are open, HEAD's content."""

    path: bytes
    wordings: tuple[Wording, ...]
    open: frozenset[int]
    head: bytes | None

    def held_by(self, body: Body) -> frozenset[int]:
        """Which of the open fixes stand in a version of this file."""
        # The cheap question first: most versions hold none of them.
        if not any(self.wordings[index].after in body.seen_by(self.wordings[index]) for index in self.open):
            return frozenset()
        standings = classify_file(body, self.wordings)
        return frozenset(index for index in self.open if standings[index] == "applied")


@dataclass
class _Trail:
    """What one file's versions have shown so far."""

    file: OpenFile
    versions: Iterator[Place]
    seen: set[str] = field(default_factory=set)
    finds: list[tuple[frozenset[int], Place]] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        """Whether one version holds everything that is open."""
        return any(indexes == self.file.open for indexes, _ in self.finds)

    def next_versions(self) -> list[Place]:
        """The next versions to read, each content once."""
        fresh = (place for place in self.versions if place.oid not in self.seen)
        found = []
        for place in islice(fresh, _VERSIONS_AT_ONCE):
            if place.oid not in self.seen:
                self.seen.add(place.oid)
                found.append(place)
        return found

    def answer(self) -> dict[int, Place]:
        """For each open fix that was found its place: the version that holds most of them goes first."""
        found: dict[int, Place] = {}
        for indexes, place in sorted(self.finds, key=lambda find: -len(find[0])):
            for index in indexes - found.keys():
                found[index] = place
        return found


def find_fixes(
    files: Sequence[OpenFile], versions: Mapping[bytes, Sequence[Place]], store: Store
) -> dict[bytes, dict[int, Place]]:
    """For each file the places of its open fixes, as far as one of its versions in the store holds them."""
    trails = [_Trail(file, iter(versions.get(file.path, ()))) for file in files]
    going = trails
    while going:
        wanted: dict[str, list[tuple[_Trail, Place]]] = defaultdict(list)
        for trail in going:
            for place in trail.next_versions():
                wanted[place.oid].append((trail, place))
        if not wanted:
            break
        bodies = ((oid, Body(data)) for oid, data in store.contents(wanted))
        for oid, body in bodies:
            for trail, place in wanted[oid]:
                indexes = trail.file.held_by(body)
                if indexes:
                    trail.finds.append((indexes, place))
        going = [trail for trail in going if not trail.complete]
    return {trail.file.path: trail.answer() for trail in trails if trail.finds}


def find_in_strays(files: Sequence[OpenFile], store: Store) -> dict[bytes, dict[int, Place]]:
    """The same among contents without a name: one must hold a fix and look like the file it belongs to."""
    found: dict[bytes, dict[int, Place]] = {}
    strays = islice(iter(store.strays()), _MOST_STRAYS)
    while files and (batch := list(islice(strays, _STRAYS_AT_ONCE))):
        for oid, data in store.contents(batch):
            body = Body(data)
            for file in files:
                indexes = frozenset(index for index in file.open if _holds(body, file.wordings[index]))
                if indexes and _is_version(body, file):
                    place = Place(state="dangling", name=f"blob {oid}", oid=oid)
                    found.setdefault(file.path, {}).update(dict.fromkeys(sorted(indexes), place))
        files = [_without(file, found.get(file.path, {})) for file in files]
        files = [file for file in files if file.open]
    return found


def versions_by_path(held: Iterable[Held]) -> dict[bytes, list[Place]]:
    """The versions of each path, best first."""
    found: dict[bytes, list[Place]] = defaultdict(list)
    for each in held:
        found[each.path].append(each.place)
    return found


def _holds(body: Body, wording: Wording) -> bool:
    after = wording.after
    if len(after.strip()) < _LEAST_STRAY or after not in body.seen_by(wording):
        return False
    return classify(body, wording) == "applied"


def _is_version(body: Body, file: OpenFile) -> bool:
    """Whether a nameless content shares enough lines with HEAD's version; of a new file nothing is known to compare."""
    if file.head is None:
        return any(not file.wordings[index].before for index in file.open)
    lines = {line for line in file.head.replace(b"\r\n", b"\n").split(b"\n") if line.strip()}
    shared = lines.intersection(body.plain.split(b"\n"))
    return len(shared) >= _LIKENESS * len(lines)


def _without(file: OpenFile, found: Mapping[int, Place]) -> OpenFile:
    return replace(file, open=file.open - found.keys())
