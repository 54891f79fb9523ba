"""What a person wants back: for each path the content and the snapshot it comes from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from unlost.facts.errors import UsageError
from unlost.facts.quoting import path_text
from unlost.facts.records import dataclass
from unlost.facts.trees import Entry
from unlost.git.formats import format_of
from unlost.guard.facts import Claim, Finding
from unlost.guard.judge import references
from unlost.guard.merge import merged
from unlost.guard.sight import TEXT_LIMIT, Sight, TreeReader
from unlost.plain.facts import Proven
from unlost.plain.late_evidence import NO_EVIDENCE
from unlost.plain.trees import Trees
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.wanted import Wanted


@dataclass(frozen=True, kw_only=True)
class Wish:
    """A path as it should be; `merged` is a content of our own making, None for a captured one."""

    path: bytes
    entry: Entry | None
    private: bool = False
    merged: bytes | None = None

    @property
    def wanted(self) -> Wanted:
        """The wish as a restore takes it."""
        return Wanted(path=self.path, entry=self.entry, private=self.private)


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """A path that does not merge: what was lost and what came since touch the same lines."""

    path: bytes


def wishes_for(
    proven: Proven,
    trees: Trees,
    snapshot_of: Callable[[str], Snapshot],
    places: Sequence[bytes],
    *,
    lost: bool,
    source: str | None,
) -> list[Wish]:
    """What a person asks for: every loss (into a missing root everything), or places, from a snapshot or by themselves.

    Raises UsageError for a place that nothing holds.
    """
    last = proven.claims.last
    if lost:
        wishes = wish_for_losses(proven)
        if proven.snapshot is not None or last is None:
            return wishes
        known = {wish.path for wish in wishes}
        return wishes + [wish for wish in wish_for_all(trees, snapshot_of(last.snapshot)) if wish.path not in known]
    if source is None:
        newest = [snapshot_of(each.snapshot) for each in reversed(proven.claims.boundaries)]
        return [wish for place in places for wish in wish_for_place(proven, trees, newest, place)]
    snapshot = snapshot_of(source)
    wishes = []
    for place in places:
        found = wish_from(trees, snapshot, place)
        if not found:
            raise UsageError(f"that snapshot holds no {path_text(place)}", hint="unlost snapshots")
        wishes += found
    return wishes


def wish_for_losses(proven: Proven, paths: Iterable[bytes] | None = None) -> list[Wish]:
    """Every open loss (below these paths), as it was last seen standing."""
    chosen = None if paths is None else tuple(paths)
    return [
        Wish(path=finding.path, entry=finding.claim.entry, private=finding.claim.ignored)
        for finding in proven.verdict.losses
        if finding.claim.captured and (chosen is None or any(is_at(finding.path, place) for place in chosen))
    ]


def wish_for_all(trees: Trees, snapshot: Snapshot) -> list[Wish]:
    """Every file of a snapshot, the ignored ones too."""
    wishes = [Wish(path=path, entry=entry) for path, entry in trees.walk(snapshot.tree)]
    if snapshot.private is not None:
        wishes += [Wish(path=path, entry=entry, private=True) for path, entry in trees.walk(snapshot.private)]
    return wishes


def wish_from(trees: Trees, snapshot: Snapshot, place: bytes) -> list[Wish]:
    """A file of a snapshot, or all below a folder; empty when it holds neither."""
    for tree, private in ((snapshot.tree, False), (snapshot.private, True)):
        if tree is None:
            continue
        entry = trees.entry(tree, place)
        if entry is not None:
            return [Wish(path=place, entry=entry, private=private)]
        below = [Wish(path=path, entry=each, private=private) for path, each in trees.walk(tree) if is_at(path, place)]
        if below:
            return below
    return []


def wish_for_place(proven: Proven, trees: Trees, snapshots: Sequence[Snapshot], place: bytes) -> list[Wish]:
    """A path or folder without a moment: its losses, else what the newest boundary that holds it has.

    `snapshots` are those of the boundaries, the newest first. Raises UsageError when none holds it.
    """
    lost = wish_for_losses(proven, [place])
    if any(wish.path == place for wish in lost):
        return lost
    known = {wish.path for wish in lost}
    for snapshot in snapshots:
        found = wish_from(trees, snapshot, place)
        if found:
            return [*lost, *(wish for wish in found if wish.path not in known)]
    if lost:
        return lost
    raise UsageError(f"no boundary holds {path_text(place)}", hint="unlost snapshots, then unlost restore --from …")


def with_merges(wishes: Iterable[Wish], proven: Proven, trees: TreeReader) -> tuple[list[Wish], list[Conflict]]:
    """The wishes for lost paths with the present's later lines kept; those that do not merge apart."""
    lost = {finding.path: finding for finding in proven.verdict.losses}
    sight = Sight(trees, NO_EVIDENCE)
    kept: list[Wish] = []
    conflicts: list[Conflict] = []
    for wish in wishes:
        finding = lost.get(wish.path)
        if finding is None or wish.entry is None or finding.now is None or finding.claim.ignored:
            kept.append(wish)
            continue
        content = _merged(finding, proven, trees, sight)
        if content is None:
            conflicts.append(Conflict(path=wish.path))
        elif content == trees.content(wish.entry.oid, TEXT_LIMIT):
            kept.append(wish)
        else:
            oid = format_of(wish.entry.oid).name_of(b"blob", content)
            kept.append(Wish(path=wish.path, entry=Entry(wish.entry.mode, oid), merged=content))
    return kept, conflicts


def displaced(wishes: Iterable[Wish], proven: Proven) -> list[Claim]:
    """Claims that stand and that these wishes push aside."""
    lost = {finding.path for finding in proven.verdict.losses}
    claims = proven.claims.by_path
    return [
        claims[wish.path]
        for wish in wishes
        if wish.path in claims and wish.path not in lost and claims[wish.path].entry != wish.entry
    ]


def is_at(path: bytes, place: bytes) -> bool:
    """Whether a path is this place, or below it; the empty place is the root."""
    return path == place or not place or path.startswith(place + b"/")


def _merged(finding: Finding, proven: Proven, trees: TreeReader, sight: Sight) -> bytes | None:
    older = references(finding.claim, proven.claims.boundaries, trees)
    return merged(finding.claim, finding.now, older, sight)
