"""`workspace save` and `workspace restore`: a workspace's files on their way from place to place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from unlost.app.opening import find_work_tree
from unlost.app.stillness import held_still
from unlost.app.worktree_places import Machine
from unlost.facts.errors import UsageError
from unlost.facts.records import dataclass, replace
from unlost.git.repository import open_repository
from unlost.host.environment import user_name
from unlost.host.ids import new_id
from unlost.plain.boundaries import Boundaries
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.identity import find, settle_at
from unlost.snapshot.layout import Layout
from unlost.snapshot.registry import Identity, new_store_name, store_folder
from unlost.snapshot.stayed_home import stayed_home
from unlost.snapshot.whereabouts import workspace_folder
from unlost.workspace.epochs import Epoch, raise_epoch, read_epochs
from unlost.workspace.events import read_record
from unlost.workspace.facts import Location
from unlost.workspace.planning import RestoreOrder
from unlost.workspace.ports import Store, Stored, Transport
from unlost.workspace.preparing import PrepareOrder, prepare
from unlost.workspace.restoring import Restored as RestoredRoot
from unlost.workspace.restoring import restore
from unlost.workspace.saving import Saved, SaveOrder, save
from unlost.workspace.stores.registry import open_store
from unlost.workspace.transports.registry import open_transport
from unlost.workspace.transports.targets import Target
from unlost.workspace.transports.whereabouts import place_there

Say = Callable[[str], None]


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
class Sources:
    """Where a snapshot comes from: this machine's own store, else the shared one (`workspace.restoring.Source`)."""

    layout: Layout
    url: str | None
    private: bool
    say: Say

    def bring(self, snapshot: str) -> Snapshot:
        """A snapshot, whole in the local store. Raises Unreachable, StoreRefused, SnapshotUnreadable."""
        own, workspace = open_store(None, self.layout), self.layout.workspace
        if own.holds(workspace, snapshot):
            found = own.get(workspace, snapshot, progress=self.say)
            if not self.private or found.private not in stayed_home(self.layout):
                return found
        return open_store(self.url, self.layout).get(workspace, snapshot, progress=self.say)


@dataclass(frozen=True, kw_only=True)
class BesideClaims:
    """A store that takes, beside a snapshot, those of the boundaries its claims rest on: they are proved there too."""

    inner: Store
    boundaries: Boundaries

    def put(self, snapshot: Snapshot, *, private: bool, progress: Say, beside: Sequence[Snapshot] = ()) -> Stored:
        """See `Store.put`."""
        progress("looking up what the claims rest on")
        return self.inner.put(snapshot, private=private, progress=progress, beside=[*beside, *self._kept()])

    def holds(self, workspace: str, snapshot: str) -> bool:
        """See `Store.holds`."""
        return self.inner.holds(workspace, snapshot)

    def newest(self, workspace: str) -> str | None:
        """See `Store.newest`."""
        return self.inner.newest(workspace)

    def get(self, workspace: str, snapshot: str, *, progress: Say) -> Snapshot:
        """See `Store.get`."""
        return self.inner.get(workspace, snapshot, progress=progress)

    def _kept(self) -> list[Snapshot]:
        """The snapshots of boundaries that this machine has; one that came from elsewhere is in the store."""
        here = {each.id: each for each in self.boundaries.archive.snapshots()}
        return [here[each.snapshot] for each in self.boundaries.claims().boundaries if each.snapshot in here]


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
        epoch = _epoch_here(machine, identity, here)
        if place is not None and epoch is not None and not _has_receipt(machine, identity.workspace, here):
            receive_receipt(machine, identity.workspace, here, epoch, say)
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
        )
    return SavedWorkspace(
        workspace=identity.workspace, place=here.place, saved=saved, is_shared=machine.settings.store is not None
    )


def restore_to(
    machine: Machine,
    workspace: str,
    target: Target,
    *,
    place: str | None = None,
    allow_empty: bool = False,
    private: bool = False,
    abandon: bool = False,
    say: Say,
) -> RestoredRoot:
    """Make a root of a workspace's newest save, over its own retired root and over nobody else's.

    `workspace` is an id, or the beginning of one that is known here. Raises UsageError, and what `restoring` raises.
    """
    identity = find(machine.settings.home, workspace)
    name = workspace if identity is None else identity.workspace
    layout, target = _layout(machine, name), _as_registered(target)
    with _reached(machine, target) as transport:
        where = place or (machine.settings.place if target.transport == "local" else place_there(transport))
        done = restore(
            machine.ledger,
            RestoreOrder(
                workspace=name,
                location=Location(place=where, root=target.root),
                holder=holder_at(where),
                allow_empty=allow_empty,
                private=private,
                abandon=abandon,
            ),
            transport=transport,
            source=Sources(layout=layout, url=machine.settings.store, private=private, say=say),
            scratch=_scratch(machine),
            new_id=new_id,
            progress=say,
        )
    if target.transport == "local":
        # Commands that are typed in the new root are about this workspace, whatever its place is called.
        store = os.path.basename(layout.store_folder)
        settle_at(machine.settings.home, name, open_repository(target.root), machine.clock, store=store)
    return done


def receive_receipt(machine: Machine, workspace: str, here: Location, epoch: Epoch | None, say: Say) -> None:
    """Let a root of this machine get its first receipt, so that it can be replaced by its own restore later."""
    with _reached(machine, Target(transport="local", root=here.root)) as transport:
        order = PrepareOrder(workspace=workspace, location=here, holder=holder_at(here.place), epoch=epoch)
        prepare(machine.ledger, order, transport=transport, scratch=_scratch(machine), new_id=new_id, progress=say)


def _has_receipt(machine: Machine, workspace: str, here: Location) -> bool:
    """Whether this very folder was made or prepared for the workspace, as the ledger has it."""
    inode = os.stat(here.root).st_ino
    return any(
        each.kind in ("prepare", "restore")
        and each.outcome == "succeeded"
        and each.is_at(here.place, here.root_digest)
        and each.inode == inode
        for each in read_record(machine.ledger, workspace).operations
    )


def holder_at(place: str) -> str:
    """Who asks by hand: the same for the same command, so that asked again it is the same operation."""
    return f"{user_name()} {place}"


def _epoch_here(machine: Machine, identity: Identity, here: Location) -> Epoch | None:
    """The newest epoch when it is this root's, or a new one where nobody wrote yet or the root was moved since.

    None when the workspace is written elsewhere.
    """
    known = read_epochs(machine.ledger, identity.workspace)
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


def _as_registered(target: Target) -> Target:
    """A root on this machine by its real path, as the registry and earlier operations name it."""
    if target.transport != "local":
        return target
    parent, name = os.path.split(target.root)
    return replace(target, root=os.path.join(os.path.realpath(parent), name))


def _layout(machine: Machine, workspace: str) -> Layout:
    """Where the snapshots of a workspace are on this machine, or will be."""
    home = machine.settings.home
    identity = find(home, workspace)
    folder = (
        os.path.join(home, "stores", new_store_name(workspace)) if identity is None else store_folder(home, identity)
    )
    return Layout(store_folder=folder, workspace_folder=workspace_folder(home, workspace), workspace=workspace)


@contextmanager
def _reached(machine: Machine, target: Target) -> Iterator[Transport]:
    transport = open_transport(target, state_home=machine.settings.home)
    try:
        yield transport
    finally:
        transport.close()


def _scratch(machine: Machine) -> str:
    os.makedirs(machine.scratch, mode=0o700, exist_ok=True)
    return machine.scratch
