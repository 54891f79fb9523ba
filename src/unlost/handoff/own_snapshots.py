"""unlost's own snapshots as a place that keeps a handoff's work: a `Store` over an archive (decision 8)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Final, Protocol

from unlost.facts.trees import EXECUTABLE, REGULAR, Change, Entry
from unlost.handoff.places import CONTENT_LIMIT, Held
from unlost.handoff.report import Context, Place
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable

MOST_SNAPSHOTS: Final = 2000
"""The newest snapshots that are looked through."""

_FILES: Final = (REGULAR, EXECUTABLE)


class Snapshots(Protocol):
    """What is needed of an archive."""

    def snapshots(self) -> tuple[Snapshot, ...]:
        """Every snapshot, the oldest first."""

    def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """What differs between two trees."""

    def entry(self, tree: str, path: bytes) -> Entry | None:
        """The file at a path of a tree."""

    def content(self, oid: str, limit: int | None = None) -> bytes:
        """The content of a file."""


class OwnSnapshots:
    """The versions that snapshots hold, the newest first. A damaged snapshot is passed over."""

    def __init__(self, archive: Snapshots) -> None:
        self._archive = archive

    def held(self, paths: Collection[bytes]) -> Iterator[Held]:
        """Every version of these paths that a snapshot holds, precious ignored files included."""
        wanted = frozenset(paths)
        later: Snapshot | None = None
        for snapshot in islice(reversed(self._archive.snapshots()), MOST_SNAPSHOTS):
            try:
                found = list(self._versions(snapshot, later, wanted))
            except SnapshotUnreadable:
                continue
            for path, entry in found:
                if entry is not None and entry.mode in _FILES:
                    place = Place(state="snapshot", name=snapshot.id, oid=entry.oid, mode=entry.mode)
                    yield Held(path=path, place=place)
            later = snapshot

    def strays(self) -> Iterable[str]:
        """Nothing: every content of a snapshot has a name."""
        return ()

    def contents(self, oids: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """The contents of files up to 4 MiB."""
        for oid in oids:
            try:
                yield oid, self._archive.content(oid, CONTENT_LIMIT)
            except SnapshotUnreadable:
                # Too large, or of the user's repository and not of ours.
                continue

    def context(self) -> Context:
        """Nothing: a snapshot that matters is named beside its file."""
        return Context()

    def _versions(
        self, snapshot: Snapshot, later: Snapshot | None, wanted: frozenset[bytes]
    ) -> Iterator[tuple[bytes, Entry | None]]:
        """What a snapshot has that the next newer one has not, each path's newest version once."""
        newer_trees = (None, None) if later is None else (later.tree, later.private)
        for tree, newer in zip((snapshot.tree, snapshot.private), newer_trees, strict=True):
            if tree is None or tree == newer:
                continue
            if newer is None:
                yield from ((path, self._archive.entry(tree, path)) for path in sorted(wanted))
            else:
                yield from (
                    (change.path, change.before)
                    for change in self._archive.changes(tree, newer)
                    if change.path in wanted
                )
