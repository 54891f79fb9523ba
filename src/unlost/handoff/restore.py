"""Plan what `--restore` puts back: which content, from which place, path by path (H.26).

Pure but for the reading of kept contents: nothing is written, no stash is popped, applied or dropped. Where the file
has other changes by now, the kept version is merged line by line against HEAD's; what does not merge cleanly, or
would undo a fix that stands, is held back and told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from unlost.facts.records import dataclass
from unlost.facts.trees import REGULAR
from unlost.handoff.classify import Body, Wording, classify_file
from unlost.handoff.facts import Handoff
from unlost.handoff.places import Present, Store, Tree
from unlost.handoff.report import RECOVERABLE, LossReport, Place
from unlost.hunks.merge import merge

GONE: Final = "the kept content cannot be read any more"
OBSTRUCTED: Final = "something else stands there now"
TOUCHES: Final = "the file has other changes by now that touch the same lines"
UNDOES: Final = "it would undo a fix that stands"


@dataclass(frozen=True, kw_only=True)
class Restoration:
    """One file as it should be: content, mode, and the places it comes from. `merged`: not the kept bytes as such."""

    path: bytes
    content: bytes
    mode: str
    places: tuple[Place, ...]
    merged: bool


@dataclass(frozen=True, kw_only=True)
class HeldBack:
    """A file that stays as it is, and why."""

    path: bytes
    place: Place
    reason: str


@dataclass(frozen=True, kw_only=True)
class RestorePlan:
    """What a restore will write, and what it will not."""

    restorations: tuple[Restoration, ...]
    held_back: tuple[HeldBack, ...]


@dataclass(frozen=True, kw_only=True)
class Brought:
    """What a restore did: paths put back, what it left alone and why, and the snapshot that holds the present."""

    restored: tuple[bytes, ...] = ()
    told: tuple[str, ...] = ()
    kept: str | None = None


def plan_restore(handoff: Handoff, report: LossReport, tree: Tree, stores: Sequence[Store]) -> RestorePlan:
    """Plan the restore of everything that the report calls recoverable. Reads the tree and the stores."""
    paths = report.recoverable_files
    present = tree.present(paths)
    chosen = {path: _places(report, path) for path in paths}
    kept = _kept(stores, {place.oid for places in chosen.values() for place in places})
    restorations, held_back = [], []
    for path in paths:
        wordings = tuple(Wording.of(fix) for fix in handoff.exact_fixes if fix.file == path)
        restoration, left = _restoration(path, present[path], wordings, chosen[path], kept)
        held_back += left
        if restoration is not None:
            restorations.append(restoration)
    return RestorePlan(restorations=tuple(restorations), held_back=tuple(held_back))


def _restoration(
    path: bytes, present: Present, wordings: Sequence[Wording], places: Sequence[Place], kept: Mapping[str, bytes]
) -> tuple[Restoration | None, list[HeldBack]]:
    """One file: the kept versions are put in one after the other, each on what the ones before have made."""
    content, mode, merged = present.content, REGULAR, False
    used: list[Place] = []
    left: list[HeldBack] = []
    for place in places:
        version = kept.get(place.oid)
        if present.obstructed or present.unmerged or version is None:
            reason = OBSTRUCTED if version is not None else GONE
            left.append(HeldBack(path=path, place=place, reason=reason))
            continue
        clean = content is None or content == present.head or (not used and not present.modified)
        result = version if clean or content is None else merge(present.head or b"", content, version)
        if result is None or _undoes(wordings, content, result):
            left.append(HeldBack(path=path, place=place, reason=TOUCHES if result is None else UNDOES))
            continue
        merged = merged or not clean
        content, mode = result, place.mode
        used.append(place)
    if content is None or not used:
        return None, left
    return Restoration(path=path, content=content, mode=mode, places=tuple(used), merged=merged), left


def _undoes(wordings: Sequence[Wording], before: bytes | None, after: bytes) -> bool:
    """Whether a fix that stands in the present content would not stand in the new one."""
    if before is None:
        return False
    standing = zip(classify_file(Body(before), wordings), classify_file(Body(after), wordings), strict=True)
    return any(old == "applied" and new != "applied" for old, new in standing)


def _places(report: LossReport, path: bytes) -> list[Place]:
    """The places of a file's work, the one that holds most of it first."""
    found = [fix.where for fix in report.fixes if fix.file == path and fix.state in RECOVERABLE and fix.where]
    whole = report.file(path)
    if not found and whole.where is not None:
        found = [whole.where]
    return sorted(dict.fromkeys(found), key=lambda place: -found.count(place))


def _kept(stores: Sequence[Store], oids: set[str]) -> dict[str, bytes]:
    """The kept contents, from whichever store has them."""
    found: dict[str, bytes] = {}
    for store in stores:
        missing = oids - found.keys()
        if missing:
            found.update(store.contents(missing))
    return found
