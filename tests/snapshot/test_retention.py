"""Letting go of snapshots in a real store: refs, content and size; never while somebody captures."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from kit.hand_clock import HandClock
from kit.repository import Repository

from unlost.facts.errors import TryLater
from unlost.facts.trees import Entry
from unlost.facts.words import SnapshotKind
from unlost.git.call import Git
from unlost.git.formats import SHA1
from unlost.git.objects import ObjectWriter
from unlost.git.refs import create_ref, list_refs
from unlost.git.trees import tree_data
from unlost.host.locks import FileLock
from unlost.snapshot.facts import Snapshot, Surroundings
from unlost.snapshot.layout import Layout
from unlost.snapshot.records import commit_data
from unlost.snapshot.repacking import needs_repack, repack_some
from unlost.snapshot.retention import (
    Budget,
    Collected,
    Held,
    Look,
    collect,
    forget_snapshots,
    overdue,
    tend,
)
from unlost.snapshot.thinning import DAY

NOWHERE = Surroundings(head=None, branch=None, refs={}, stashes=(), worktrees=(), operation=None)


@dataclass
class Store:
    """A real store into which snapshots of one file are put by hand."""

    folder: Path
    clock: HandClock
    snapshots: list[Snapshot] = field(default_factory=list)
    pinned: set[str] = field(default_factory=set)
    told: list[Snapshot] = field(default_factory=list)

    @property
    def layout(self) -> Layout:
        workspace = self.folder / "workspaces" / "w-1"
        return Layout(store_folder=str(self.folder), workspace_folder=str(workspace), workspace="w-1")

    @property
    def git(self) -> Git:
        return Git(self.layout.store, home=str(self.folder))

    def take(self, content: bytes, *, age: float, kind: SnapshotKind = "boundary") -> Snapshot:
        writer = ObjectWriter(self.layout.store, SHA1, pack=False, durable=False)
        tree = writer.write_tree(tree_data({b"file": Entry("100644", writer.write(b"blob", content))}))
        sequence = len(self.snapshots) + 1
        commit = writer.write(b"commit", commit_data(tree, b"%d" % sequence))
        for prefix in (self.layout.snapshots(), self.layout.bases(), self.layout.privates()):
            create_ref(self.layout.store, f"{prefix}/{sequence}", commit, durable=False)
        snapshot = Snapshot(
            id=commit,
            tree=tree,
            base=tree,
            private=None,
            workspace="w-1",
            sequence=sequence,
            kind=kind,
            label="",
            at=self.clock.now() - age,
            files=1,
            incomplete=(),
            surroundings=NOWHERE,
        )
        self.snapshots.append(snapshot)
        return snapshot

    def look(self) -> Sequence[Held]:
        return [Held(layout=self.layout, snapshots=tuple(self.snapshots), pinned=frozenset(self.pinned))]

    def collect(self, *, look: Look | None = None, max_store: int = 5 << 30, free: int = 0) -> Collected:
        budget = Budget(max_store=max_store, free=free)
        return collect(look or self.look, self.git, announce=self.told.extend, budget=budget, clock=self.clock)

    def tend(self) -> bool:
        return tend(self.look, self.git, announce=self.told.extend, budget=Budget(), clock=self.clock)

    def names(self) -> set[str]:
        return {name.rpartition("/")[2] for name in list_refs(self.layout.store, "refs")}

    def holds(self, snapshot: Snapshot) -> bool:
        return Repository(Path(self.layout.store)).git("cat-file", "-t", snapshot.tree, check=False) == "tree"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    made = Store(tmp_path / "store", HandClock())
    Path(made.layout.workspace_folder).mkdir(parents=True)
    Repository.create(Path(made.layout.store), "--bare")
    return made


def test_old_snapshots_go_with_their_content(store: Store) -> None:
    """Collecting drops what outlived its time with every ref of it, and its content; the rest is whole in one pack."""
    old = store.take(b"old", age=40 * DAY)
    pinned = store.take(b"pinned", age=40 * DAY)
    young = store.take(b"young", age=DAY)
    store.pinned.add(pinned.id)
    assert overdue(store.look(), budget=Budget(), now=store.clock.now()) == (old,)
    collected = store.collect()
    assert collected.dropped == (old,)
    assert store.told == [old]
    assert store.names() == {"2", "3"}
    assert [store.holds(each) for each in (old, pinned, young)] == [False, True, True]
    assert len(list((Path(store.layout.store) / "objects/pack").glob("*.pack"))) == 1
    assert Repository(Path(store.layout.store)).git("fsck", "--strict") == ""


def test_a_full_store_gives_up_what_is_worth_least(store: Store) -> None:
    """Over its size, a store gives up autosaves first and stops as soon as it fits; the newest always stays."""
    boundary = store.take(os.urandom(1 << 20), age=300)
    autosaves = [store.take(os.urandom(1 << 20), age=200 - n, kind="autosave") for n in range(6)]
    newest = store.take(os.urandom(1 << 20), age=0)
    collected = store.collect(max_store=5 << 20, free=0)
    assert collected.size_after < 5 << 20 < collected.size_before
    assert collected.over == 0
    assert {each.id for each in collected.dropped} < {each.id for each in autosaves}
    assert store.holds(boundary)
    tiny = store.collect(max_store=1, free=0)
    assert tiny.over > 0
    assert store.names() == {str(newest.sequence)}


def test_a_disk_that_others_filled_costs_no_boundary(store: Store) -> None:
    """Short of free space, autosaves go and boundaries stay."""
    boundary = store.take(b"boundary", age=20)
    autosave = store.take(b"autosave", age=10, kind="autosave")
    store.take(b"newest", age=0)
    collected = store.collect(free=1 << 60)
    assert collected.dropped == (autosave,)
    assert store.holds(boundary)


def test_nothing_is_collected_during_a_capture(store: Store) -> None:
    """While a capture holds its lock nothing is dropped; a command on its way out does not wait for it."""
    store.take(b"old", age=40 * DAY)
    store.take(b"new", age=0)
    with FileLock(store.layout.capture_lock):
        assert not store.tend()
        assert store.names() == {"1", "2"}
    assert store.tend()
    assert store.names() == {"2"}


def test_a_workspace_added_meanwhile_ends_the_collection(store: Store) -> None:
    """A workspace that joins the store between the looks is not collected over: try later, nothing changed."""
    store.take(b"old", age=40 * DAY)
    store.take(b"new", age=0)
    looks = iter([[], [], store.look()])
    with pytest.raises(TryLater):
        store.collect(look=lambda: next(looks))
    assert store.names() == {"1", "2"}


def test_many_objects_are_gathered_in_time(store: Store) -> None:
    """Many loose objects ask for a repack; one without time says so, one with time leaves a single pack."""
    for number in range(20):
        store.take(b"%d" % number, age=0)
    crowd = Path(store.layout.store) / "objects" / "17"
    crowd.mkdir(exist_ok=True)
    assert not needs_repack(store.layout.store)
    for number in range(20):
        (crowd / f"{number:038x}").touch()
    assert needs_repack(store.layout.store)
    for path in crowd.iterdir():
        path.unlink()
    assert not repack_some(store.git, 0.0)
    assert repack_some(store.git, 60.0)
    assert len(list((Path(store.layout.store) / "objects/pack").glob("*.pack"))) == 1
    assert all(store.holds(each) for each in store.snapshots)


def test_a_forgotten_workspace_leaves_no_ref(store: Store) -> None:
    """Forgetting drops the workspace's refs, and no other's."""
    snapshot = store.take(b"x", age=0)
    create_ref(store.layout.store, "refs/snap/w-2/1", snapshot.id, durable=False)
    create_ref(store.layout.store, store.layout.fetched(), snapshot.id, durable=False)
    forget_snapshots(store.layout, store.git)
    assert list(list_refs(store.layout.store, "refs")) == ["refs/snap/w-2/1"]
