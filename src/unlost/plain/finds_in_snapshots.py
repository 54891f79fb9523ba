"""What own snapshots hold: boundaries, autosaves, and what was kept before a restore."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from unlost.facts.trees import Entry
from unlost.git.formats import format_of
from unlost.plain.find import Find, Query
from unlost.plain.trees import Trees, base_of, private_of
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable

MOST_SNAPSHOTS: Final = 2_000
"""The newest snapshots that are looked through."""


class InSnapshots:
    """The snapshots of one workspace, nested repositories opened up. A damaged one is passed over."""

    def __init__(self, trees: Trees) -> None:
        self._trees = trees

    def finds(self, query: Query) -> Iterator[Find]:
        """Each version once, in the newest snapshot that holds it."""
        later: Snapshot | None = None
        for snapshot in islice(reversed(self._trees.archive.snapshots()), MOST_SNAPSHOTS):
            try:
                found = [*self._versions(snapshot, later, query)]
            except SnapshotUnreadable:
                continue
            for path, entry in found:
                yield Find(path=path, place="snapshot", ref=snapshot.id, at=snapshot.at, entry=entry)
            later = snapshot

    def sizes(self, oids: Iterable[str]) -> Mapping[str, int]:
        """The sizes of those contents that snapshots have."""
        return self._trees.sizes(oids)

    def contents(self, oids: Iterable[str], largest: int) -> Iterator[tuple[str, bytes]]:
        """Those contents that snapshots have."""
        for oid in oids:
            data = self._trees.content(oid, largest)
            if data is not None:
                yield oid, data

    def _versions(self, snapshot: Snapshot, later: Snapshot | None, query: Query) -> Iterator[tuple[bytes, Entry]]:
        """What a snapshot has that the next newer one has not."""
        empty = format_of(snapshot.tree).empty_tree
        if later is not None:
            pairs = [(later.tree, snapshot.tree), (private_of(later), private_of(snapshot))]
        elif query.is_open:
            # What is as HEAD has it is at no risk, and most of a tree is.
            pairs = [(base_of(snapshot), snapshot.tree), (empty, private_of(snapshot))]
        else:
            pairs = [(empty, snapshot.tree), (empty, private_of(snapshot))]
        for newer, older in pairs:
            for change in self._trees.changes(newer, older):
                if change.after is not None and query.wants(change.path):
                    yield change.path, change.after
