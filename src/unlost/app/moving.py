"""`workspace restore`: a workspace's files on their way to a place, and the first receipt of a root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from unlost.app.workspaces import Say, holder_at
from unlost.app.worktree_places import Machine
from unlost.facts.records import dataclass, replace
from unlost.git.repository import open_repository
from unlost.host.ids import new_id
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.identity import find, settle_at
from unlost.snapshot.layout import Layout
from unlost.snapshot.registry import new_store_name, store_folder
from unlost.snapshot.stayed_home import stayed_home
from unlost.snapshot.whereabouts import workspace_folder
from unlost.workspace.epochs import Epoch
from unlost.workspace.facts import Location
from unlost.workspace.planning import RestoreOrder
from unlost.workspace.ports import Transport
from unlost.workspace.preparing import PrepareOrder, prepare
from unlost.workspace.restoring import Restored as RestoredRoot
from unlost.workspace.restoring import restore
from unlost.workspace.stores.registry import open_store
from unlost.workspace.transports.registry import open_transport
from unlost.workspace.transports.targets import Target
from unlost.workspace.transports.whereabouts import place_there


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
