"""This machine's own store as the one that a workspace is saved to, where no other is shared.

A save then means that the snapshot is durable here. It can be restored on this machine, and from here on any place
that a transport reaches.
"""

from __future__ import annotations

from unlost.facts.errors import UsageError
from unlost.git.call import Git
from unlost.git.reader import ObjectReader
from unlost.host.reading import sync_folder
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable
from unlost.snapshot.history import History
from unlost.snapshot.layout import Layout
from unlost.workspace.ports import Beside, Progress, Stored, nothing_beside


class OwnStore:
    """`Store` over the snapshots that this machine has of one workspace; private files are among them anyway."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout

    def put(
        self,
        snapshot: Snapshot,
        *,
        private: bool,  # noqa: ARG002  (see `Store`)
        progress: Progress,  # noqa: ARG002
        beside: Beside = nothing_beside,  # noqa: ARG002
    ) -> Stored:
        """See `Store.put`. A boundary was made durable when it was captured; here it is asked for once more."""
        if not self.holds(snapshot.workspace, snapshot.id):
            raise SnapshotUnreadable(f"the snapshot {snapshot.id[:12]} is not in this machine's store")
        sync_folder(self._layout.store)
        return Stored(snapshot=snapshot.id, sequence=snapshot.sequence, private=snapshot.private is not None)

    def holds(self, workspace: str, snapshot: str) -> bool:
        """See `Store.holds`."""
        try:
            return self._found(snapshot).workspace == workspace
        except (UsageError, SnapshotUnreadable):
            return False

    def newest(self, workspace: str) -> str | None:
        """See `Store.newest`."""
        objects = ObjectReader(Git(self._layout.store, home=self._layout.home))
        try:
            latest = History(self._layout, objects).latest()
        finally:
            objects.close()
        return None if latest is None or latest.workspace != workspace else latest.id

    def get(self, workspace: str, snapshot: str, *, progress: Progress) -> Snapshot:  # noqa: ARG002  (see `Store`)
        """See `Store.get`."""
        found = self._found(snapshot)
        if found.workspace != workspace:
            raise SnapshotUnreadable(f"the snapshot {snapshot[:12]} is of another workspace")
        return found

    def _found(self, snapshot: str) -> Snapshot:
        objects = ObjectReader(Git(self._layout.store, home=self._layout.home))
        try:
            return History(self._layout, objects).find(snapshot)
        finally:
            objects.close()


def store(_url: str, layout: Layout) -> OwnStore:
    """The store that a workspace has on this machine."""
    return OwnStore(layout)
