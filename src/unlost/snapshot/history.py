"""The snapshots of one workspace, read from its store; needs neither the work tree nor any cache."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from unlost.facts.errors import UsageError
from unlost.facts.records import replace
from unlost.git.call import Git
from unlost.git.reader import ObjectMissing, ObjectReader
from unlost.git.refs import delete_refs, list_refs
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable, Surroundings
from unlost.snapshot.layout import Layout
from unlost.snapshot.records import record_from_json, snapshot_of, surroundings_from_message, tree_and_message

SHORTEST_PREFIX: Final = 4


class History:
    """Finds and reads snapshots.

    One that came from another place may stand here under another number than it was given there: the ref's counts.
    """

    def __init__(self, layout: Layout, objects: ObjectReader) -> None:
        self._layout = layout
        self._objects = objects
        self._surroundings: dict[str, Surroundings] = {}

    def all(self) -> tuple[Snapshot, ...]:
        """Every snapshot that can be read, the oldest first; a damaged one hides no other."""
        found: list[Snapshot] = []
        for sequence, oid in sorted(self._refs().items()):
            try:
                found.append(replace(self.read(oid), sequence=sequence))
            except SnapshotUnreadable:
                continue
        return tuple(found)

    def latest(self) -> Snapshot | None:
        """The newest snapshot that can be read."""
        refs = self._refs()
        for sequence in sorted(refs, reverse=True):
            try:
                return replace(self.read(refs[sequence]), sequence=sequence)
            except SnapshotUnreadable:
                continue
        return None

    def find(self, prefix: str) -> Snapshot:
        """The snapshot whose id begins so. Raises UsageError when none does, or several do."""
        found = {oid: number for number, oid in self._refs().items() if oid.startswith(prefix.lower())}
        if len(prefix) < SHORTEST_PREFIX or not found:
            raise UsageError(f"no snapshot begins with {prefix[:80]!r}", hint="unlost snapshots")
        if len(found) > 1:
            raise UsageError(f"{len(found)} snapshots begin with {prefix!r}", hint="type more of its digits")
        oid, sequence = found.popitem()
        return replace(self.read(oid), sequence=sequence)

    def read(self, oid: str) -> Snapshot:
        """The snapshot that a commit stands for, with the number that it was given first. Raises SnapshotUnreadable."""
        tree, record = (parts := self._commit(oid))[0], record_from_json(parts[1])
        if record.surroundings not in self._surroundings:
            message = self._commit(record.surroundings)[1]
            self._surroundings[record.surroundings] = surroundings_from_message(message)
        return snapshot_of(oid, tree, record, self._surroundings[record.surroundings])

    def drop(self, sequences: Iterable[int], git: Git) -> None:
        """Delete the refs of these snapshots; their objects stay until the store is collected."""
        wanted = {str(sequence) for sequence in sequences}
        doomed: dict[str, str] = {}
        # Bases and ignored files without a snapshot are what a killed capture left; they go as well.
        kept = {str(sequence) for sequence in self._refs()} - wanted
        for prefix in (self._layout.snapshots(), self._layout.bases(), self._layout.privates()):
            refs = list_refs(self._layout.store, prefix)
            doomed |= {name: oid for name, oid in refs.items() if name.rpartition("/")[2] not in kept}
        delete_refs(git, doomed)

    def _refs(self) -> dict[int, str]:
        refs = list_refs(self._layout.store, self._layout.snapshots())
        numbered = ((name.rpartition("/")[2], oid) for name, oid in refs.items())
        return {int(number): oid for number, oid in numbered if number.isdecimal()}

    def _commit(self, oid: str) -> tuple[str, bytes]:
        try:
            return tree_and_message(self._objects.read(oid).data)
        except ObjectMissing as error:
            raise SnapshotUnreadable(f"the snapshot {oid[:12]} is not whole", hint="unlost doctor --deep") from error
