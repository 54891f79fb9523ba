"""`workspace save`: a workspace's files, whole, in the store that its next place takes them from."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any, Final

from unlost.app.opening import find_work_tree
from unlost.app.stillness import held_still
from unlost.app.workspaces import Say, holder_at
from unlost.app.worktree_places import Machine
from unlost.facts.errors import UsageError
from unlost.facts.records import dataclass
from unlost.host.doors import open_door
from unlost.host.ids import new_id
from unlost.plain.boundaries import Boundaries
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable
from unlost.snapshot.registry import Identity
from unlost.workspace.epochs import Epoch, raise_epoch
from unlost.workspace.events import read_record
from unlost.workspace.facts import Location, WorkspaceRecord
from unlost.workspace.ports import Beside, Store, Stored, nothing_beside
from unlost.workspace.saving import Saved, SaveOrder, save
from unlost.workspace.stores.registry import open_store

_FEW: Final = 8
"""So many snapshots are read one by one rather than with all others."""

RECEIPTS: Final[Mapping[str, str]] = {"first": "unlost.app.moving"}
"""What lets a root get its first receipt; opened only where it has none."""


@dataclass(frozen=True, kw_only=True)
class SavedWorkspace:
    """A final save: the snapshot of the whole tree, and where it can be restored from."""

    workspace: str
    place: str
    saved: Saved
    is_shared: bool

    def to_json(self) -> dict[str, Any]:
        """`unlost.save/1`."""
        return {
            "schema": "unlost.save/1",
            "workspace": self.workspace,
            "place": self.place,
            "operation": self.saved.operation,
            "epoch": self.saved.epoch.number,
            "snapshot": self.saved.snapshot.id,
            "files": self.saved.snapshot.files,
            "left_out": self.saved.left_out,
            "state": self.saved.state,
            "shared": self.is_shared,
        }


@dataclass(frozen=True, kw_only=True)
class BesideClaims:
    """A store that takes, beside a snapshot, those of the boundaries its claims rest on: they are proved there too."""

    inner: Store
    boundaries: Boundaries

    def put(self, snapshot: Snapshot, *, private: bool, progress: Say, beside: Beside = nothing_beside) -> Stored:
        """See `Store.put`."""

        def all_beside(known: Collection[str]) -> list[Snapshot]:
            progress("looking up what the claims rest on")
            return [*beside(known), *self._kept(known)]

        return self.inner.put(snapshot, private=private, progress=progress, beside=all_beside)

    def holds(self, workspace: str, snapshot: str) -> bool:
        """See `Store.holds`."""
        return self.inner.holds(workspace, snapshot)

    def newest(self, workspace: str) -> str | None:
        """See `Store.newest`."""
        return self.inner.newest(workspace)

    def get(self, workspace: str, snapshot: str, *, progress: Say) -> Snapshot:
        """See `Store.get`."""
        return self.inner.get(workspace, snapshot, progress=progress)

    def _kept(self, known: Collection[str]) -> list[Snapshot]:
        """The other snapshots of boundaries that this machine has; one that came from elsewhere is in the store."""
        archive = self.boundaries.archive
        wanted = {each.snapshot for each in self.boundaries.claims().boundaries} - set(known)
        if len(wanted) > _FEW:
            return [each for each in archive.snapshots() if each.id in wanted]
        found: list[Snapshot] = []
        for each in sorted(wanted):
            with suppress(UsageError, SnapshotUnreadable):
                found.append(archive.find(each))
        return found


def save_here(
    machine: Machine, target: str, *, place: str | None = None, private: bool = False, say: Say
) -> SavedWorkspace:
    """Save the workspace at `target` whole, once nothing of unlost's runs in it.

    Where a person names the `place` the root gets a receipt, too: it may be replaced when it has retired.

    Raises UsageError, TryLater (exit 75) while an agent runs or the shared store cannot be reached.
    """
    identity = find_work_tree(target, machine.settings, machine.clock, new=True).identity
    if identity is None:
        raise UsageError("this work tree cannot be registered; there is nothing to save", hint="unlost mark")
    with machine.opened(identity.workspace) as opened:
        if not opened.root_is_there:
            raise UsageError("the work tree is gone; its snapshots are kept", hint="unlost restore --all")
        archive = opened.boundaries.archive
        here = Location(place=place or machine.settings.place, root=identity.root)
        record = read_record(machine.ledger, identity.workspace)
        epoch = _epoch_here(machine, identity, here, record)
        if place is not None and epoch is not None and not _has_receipt(record, here):
            open_door(RECEIPTS, "first").receive_receipt(machine, identity.workspace, here, epoch, say)
            record = read_record(machine.ledger, identity.workspace)
        saved = save(
            machine.ledger,
            SaveOrder(
                workspace=identity.workspace, location=here, holder=holder_at(here.place), private=private, epoch=epoch
            ),
            capture=lambda: archive.capture(kind="boundary", label="save"),
            still=lambda: held_still(opened, machine.clock),
            store=BesideClaims(inner=open_store(machine.settings.store, archive.layout), boundaries=opened.boundaries),
            new_id=new_id,
            progress=say,
            record=record if epoch in record.epochs else None,
        )
    return SavedWorkspace(
        workspace=identity.workspace, place=here.place, saved=saved, is_shared=machine.settings.store is not None
    )


def _has_receipt(record: WorkspaceRecord, here: Location) -> bool:
    """Whether this very folder was made or prepared for the workspace, as the ledger has it."""
    inode = os.stat(here.root).st_ino
    return any(
        each.kind in ("prepare", "restore")
        and each.outcome == "succeeded"
        and each.is_at(here.place, here.root_digest)
        and each.inode == inode
        for each in record.operations
    )


def _epoch_here(machine: Machine, identity: Identity, here: Location, record: WorkspaceRecord) -> Epoch | None:
    """The newest epoch when it is this root's, or a new one where nobody wrote yet or the root was moved since.

    None when the workspace is written elsewhere.
    """
    known = record.epochs
    if known and known[-1].place == here.place and known[-1].root_digest == here.root_digest:
        return known[-1]
    before = identity.moved_from
    is_moved = before is not None and bool(known) and known[-1].place == here.place
    if known and not (is_moved and Location(place=here.place, root=before or "").root_digest == known[-1].root_digest):
        return None
    return raise_epoch(
        machine.ledger,
        identity.workspace,
        holder=holder_at(here.place),
        purpose="move",
        place=here.place,
        root_digest=here.root_digest,
    )
