"""One snapshot store, the workspaces in it, and what each of them still needs."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence

from unlost.app.opening import Found, Place, open_place
from unlost.app.units import open_on, read_units
from unlost.facts.errors import UnlostError
from unlost.git.call import Git
from unlost.git.refs import list_refs
from unlost.host.clock import Clock
from unlost.host.ids import new_id
from unlost.ledger.protocol import Ledger
from unlost.plain.keeping import dropped_boundaries, needed_snapshots
from unlost.settings import Settings
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.layout import Layout
from unlost.snapshot.registry import RegistryDamaged, read_row, registered_workspaces, store_folder
from unlost.snapshot.retention import Budget, Held
from unlost.snapshot.whereabouts import workspace_folder

_SNAPSHOTS = "refs/snap"


class StoreKeeper:
    """The store in a folder; close it when done."""

    def __init__(self, folder: str, settings: Settings, ledger: Ledger, clock: Clock) -> None:
        self._folder = folder
        self._settings = settings
        self._ledger = ledger
        self._clock = clock
        self._places: dict[str, Place | None] = {}
        self.git = Git(os.path.join(folder, "store.git"), home=folder)

    def close(self) -> None:
        """Let go of processes."""
        for place in self._places.values():
            if place is not None:
                place.close()

    def workspaces(self) -> tuple[str, ...]:
        """Every registered workspace that has snapshots here."""
        registered = registered_workspaces(self._settings.home)
        return tuple(name for name in self._present() if name in registered)

    def forgotten(self) -> dict[Layout, tuple[str, ...]]:
        """The workspaces that nobody has registered any more, each with the refs of its snapshots."""
        names = set(self._present()) - set(self.workspaces())
        layouts = [self._layout(name) for name in sorted(names)]
        return {layout: tuple(list_refs(self.git.git_dir, layout.snapshots())) for layout in layouts}

    def look(self) -> Sequence[Held]:
        """What each workspace has here and needs (`snapshot.retention.Look`)."""
        return [self._held(name) for name in self.workspaces()]

    def budget(self) -> Budget:
        """What the store may keep: the most that the rules of one of its workspaces say."""
        places = [self._place(name) for name in self.workspaces()]
        rules = [place.rules for place in places if place is not None] or [self._settings.snapshot]
        return Budget(keep=max(each.keep for each in rules), max_store=max(each.max_store for each in rules))

    def announce(self, dropped: Sequence[Snapshot]) -> None:
        """Tell the records of boundaries whose snapshots are about to go (`snapshot.retention.Announce`)."""
        by_workspace: dict[str, set[str]] = defaultdict(set)
        for snapshot in dropped:
            by_workspace[snapshot.workspace].add(snapshot.id)
        for name, snapshots in by_workspace.items():
            place = self._place(name)
            if place is not None:
                numbers = dropped_boundaries(place.boundaries.claims(), snapshots)
                if numbers:
                    place.boundaries.record.drop(numbers, key=new_id("g"))

    def _held(self, name: str) -> Held:
        with Archive(
            store_folder=self._folder,
            workspace_folder=workspace_folder(self._settings.home, name),
            workspace=name,
            root="/",
            clock=self._clock,
        ) as archive:
            snapshots = archive.snapshots()
        return Held(layout=self._layout(name), snapshots=snapshots, pinned=self._pinned(name, snapshots))

    def _pinned(self, name: str, snapshots: Sequence[Snapshot]) -> frozenset[str]:
        """What a workspace needs; everything, where its row or record does not tell."""
        place = self._place(name)
        try:
            if place is not None:
                units = frozenset(state.unit for state in open_on(read_units(self._ledger, workspace=name)))
                return needed_snapshots(place.boundaries.record.read(), units)
        except UnlostError:
            # A damaged record: what its claims need cannot be known.
            pass
        return frozenset(snapshot.id for snapshot in snapshots)

    def _place(self, name: str) -> Place | None:
        if name not in self._places:
            self._places[name] = self._opened(name)
        return self._places[name]

    def _opened(self, name: str) -> Place | None:
        """A workspace whose row says that its snapshots are here; None for any other."""
        try:
            identity = read_row(self._settings.home, name)
        except RegistryDamaged:
            return None
        if identity is None or store_folder(self._settings.home, identity) != self._folder:
            return None
        found = Found(root=identity.root, repository=None, identity=identity, state="present")
        return open_place(found, self._settings, self._ledger, self._clock, running=lambda: None, say=lambda _: None)

    def _present(self) -> tuple[str, ...]:
        """The names of the workspaces that have snapshots here."""
        refs = list_refs(self.git.git_dir, _SNAPSHOTS)
        return tuple(sorted({name.split("/")[2] for name in refs}))

    def _layout(self, name: str) -> Layout:
        return Layout(
            store_folder=self._folder,
            workspace_folder=workspace_folder(self._settings.home, name),
            workspace=name,
        )
