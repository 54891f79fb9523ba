"""Make a commit of a unit's finished work, and of nobody else's, in a git dir of ours.

Each stretch of work is put onto what HEAD holds by lines, as `git add -p` would: what a person had not committed
before the run stays uncommitted, in the same file too. Where the two touch, the path is left out and named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from unlost.facts.paths import folders_above
from unlost.facts.records import dataclass, field, replace
from unlost.facts.trees import NESTED, Change, Entry
from unlost.git.deliver import IndexChange
from unlost.git.index import Staged
from unlost.git.reader import ObjectMissing
from unlost.git.trees import difference, find_file, grow
from unlost.publish.content import Overlaps, put_onto
from unlost.publish.forms import Forms
from unlost.publish.orders import Segment
from unlost.publish.outcomes import LeftOut, LeftOutReason
from unlost.publish.store import PublishStore
from unlost.snapshot.archive import Archive


@dataclass(frozen=True, kw_only=True)
class Made:
    """The tree to commit, `paths` of it changed. `index` is what the index holds at each of its paths, and is to hold.

    `contents` are blobs that only the index will name.
    """

    tree: str
    paths: int
    index: Mapping[bytes, IndexChange]
    contents: tuple[str, ...]
    left_out: tuple[LeftOut, ...]


class BlobsOf:
    """Contents from the publishing store and the snapshots; what is written goes to the store."""

    def __init__(self, store: PublishStore, archive: Archive) -> None:
        self._store = store
        self._archive = archive
        self._writer = store.writer()

    def read(self, oid: str) -> bytes:
        """The content of a blob, from wherever it is. Raises ObjectMissing, SnapshotUnreadable."""
        try:
            return self._store.objects.read(oid).data
        except ObjectMissing:
            return self._archive.content(oid)

    def write(self, data: bytes) -> str:
        """Store a blob."""
        return self._writer.write(b"blob", data)

    def write_tree(self, data: bytes) -> str:
        """Store a tree."""
        return self._writer.write_tree(data)

    def write_commit(self, data: bytes) -> str:
        """Store a commit."""
        return self._writer.write(b"commit", data)

    def bring(self, entry: Entry | None) -> None:
        """Have the entry's blob in the store."""
        if entry is not None:
            self.write(self.read(entry.oid))


@dataclass(frozen=True, kw_only=True)
class Composition:
    """What a commit is made of: snapshots, HEAD, and the index as a person left it (None: it is not looked at).

    `is_unwanted` tells untracked paths that are nobody's work; they are passed over in silence. `uncaptured` are, by
    tree, the files and folders that are absent from it because they could not be captured.
    """

    archive: Archive
    store: PublishStore
    blobs: BlobsOf
    forms: Forms
    head: str
    staged: Staged | None
    is_unwanted: Callable[[bytes], bool]
    is_ignored: Callable[[bytes], bool]
    uncaptured: Mapping[str, Set[bytes]] = field(default_factory=dict)

    def make(self, segments: Sequence[Segment]) -> Made:
        """The tree of HEAD with this work put onto it. Raises what snapshots and git raise."""
        base = self.store.tree_of(self.head)
        result, left_out = self._woven(base, [*self._changes(segments)], self._unseen(segments))
        changed = {path: entry for path, entry in result.items() if entry != self._held(base, path)}
        index, contents, staged_over = self._index(base, changed)
        for path in staged_over:
            del changed[path]
            left_out[path] = "overlaps"
        for entry in changed.values():
            self.blobs.bring(entry)
        tree = grow(self.store.objects, self.blobs.write_tree, base, changed) if changed else base
        return Made(
            tree=tree,
            paths=len(changed),
            index={path: change for path, change in index.items() if path in changed},
            contents=contents,
            left_out=tuple(LeftOut(path=path, reason=left_out[path]) for path in sorted(left_out)),
        )

    def with_tree(self, made: Made, tree: str) -> Made:
        """The same commit with a tree that a hook made of it. Raises Overlaps where the index cannot follow."""
        base = self.store.tree_of(self.head)
        changed = {change.path: change.after for change in difference(self.store.objects, base, tree)}
        index, contents, over = self._index(base, changed)
        if over:
            raise Overlaps
        return replace(made, tree=tree, paths=len(changed), index=index, contents=contents)

    def _changes(self, segments: Iterable[Segment]) -> Iterator[Change]:
        """What counts as the unit's, in the order in which it came about."""
        touched: set[bytes] = set()
        for segment in segments:
            for change in self.archive.changes(segment.before, segment.after):
                if segment.own:
                    touched.add(change.path)
                if change.path in touched:
                    yield change

    def _unseen(self, segments: Sequence[Segment]) -> Set[bytes]:
        """The paths of which a tree says nothing: absent, or below a closed folder and there as HEAD has them."""
        return {
            change.path
            for segment in segments
            if (hidden := self.uncaptured.get(segment.after))
            for change in self.archive.changes(segment.before, segment.after)
            if not hidden.isdisjoint((change.path, *folders_above(change.path)))
        }

    def _woven(
        self, base: str, changes: list[Change], unseen: Set[bytes]
    ) -> tuple[dict[bytes, Entry | None], dict[bytes, LeftOutReason]]:
        self.forms.learn(change.path for change in changes)
        result: dict[bytes, Entry | None] = {}
        left_out: dict[bytes, LeftOutReason] = {}
        for change in changes:
            path, held = change.path, self._held(base, change.path)
            if path in left_out or (held is None and self.is_unwanted(path)):
                continue
            reason = "not_captured" if path in unseen else self._reason(change, held)
            if reason is None:
                before, after = (self.forms.stored(path, entry) for entry in (change.before, change.after))
                try:
                    result[path] = put_onto(result.get(path, held), before, after, self.blobs)
                except Overlaps:
                    reason = "overlaps"
            if reason is not None:
                result.pop(path, None)
                left_out[path] = reason
        return result, left_out

    def _reason(self, change: Change, held: Entry | None) -> LeftOutReason | None:
        """Why a path cannot be in a commit of ours, whatever its content."""
        if any(entry is not None and entry.mode == NESTED for entry in (change.before, change.after, held)):
            return "nested_repository"
        if held is None and self.is_ignored(change.path):
            return "ignored"
        if change.after is not None and self.forms.is_filtered(change.path):
            return "converted"
        return None

    def _index(
        self, base: str, changed: Mapping[bytes, Entry | None]
    ) -> tuple[dict[bytes, IndexChange], tuple[str, ...], list[bytes]]:
        """What a person staged stays staged, on top of the new commit; where that cannot be, the path is named."""
        index: dict[bytes, IndexChange] = {}
        contents: list[str] = []
        over: list[bytes] = []
        staged = self.staged.entries if self.staged is not None else {}
        empty = self.store.repository.object_format.name_of(b"blob", b"")
        for path, entry in changed.items() if self.staged is not None else ():
            seen, held = staged.get(path), self._held(base, path)
            # `git add -N` leaves an entry of the empty content, which says no more than that the path is known.
            mine = None if seen is not None and held is None and seen.oid == empty else seen
            try:
                after = put_onto(mine, held, entry, self.blobs)
            except Overlaps:
                over.append(path)
                continue
            index[path] = IndexChange(seen=seen, after=after)
            if after is not None and after != entry:
                contents.append(after.oid)
        return index, tuple(contents), over

    def _held(self, base: str, path: bytes) -> Entry | None:
        return find_file(self.store.objects, base, path)
