"""`unlost gc`: what may go goes, what claims, units and undo need stays, and the record can be folded afterwards."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kit.hand_clock import HandClock
from kit.program import Program
from kit.repository import Repository

from unlost.app.collecting import Gathered, collect_all, tend_store
from unlost.app.plain import Workspace
from unlost.ledger.protocol import Ledger
from unlost.ledger.registry import open_ledger
from unlost.settings import Settings, read_settings
from unlost.snapshot.repacking import is_tending_due

DAY = 86400.0
EDIT = "fn main() {\n    parse_all();\n}\n"
COMMITTED = "fn main() {\n    legacy_parse();\n}\n"


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@contextmanager
def opened(repository: Repository, clock: HandClock) -> Iterator[Workspace]:
    """The workspace at a moment of the hand clock."""
    settings = read_settings()
    ledger = open_ledger(settings.ledger, clock)
    workspace = Workspace(str(repository.root), settings, ledger, clock, lambda _: None)
    with workspace:
        yield workspace


def mark(repository: Repository, clock: HandClock, label: str = "") -> str:
    """Take a boundary; returns its snapshot."""
    with opened(repository, clock) as workspace:
        return str(workspace.mark(label).to_json()["snapshot"])


def gc(clock: HandClock, *, dry_run: bool = False) -> Gathered:
    """Collect every store."""
    with settings_and_ledger(clock) as (settings, ledger):
        return collect_all(settings, ledger, clock, dry_run=dry_run)


@contextmanager
def settings_and_ledger(clock: HandClock) -> Iterator[tuple[Settings, Ledger]]:
    settings = read_settings()
    ledger = open_ledger(settings.ledger, clock)
    try:
        yield settings, ledger
    finally:
        ledger.close()


def kept(repository: Repository, clock: HandClock) -> list[str]:
    """The ids of all snapshots, the oldest first."""
    with opened(repository, clock) as workspace:
        return [row["snapshot"] for row in workspace.snapshots().rows]


def forget_the_fold() -> None:
    """Remove what is remembered of the record, so that it is folded from its first event."""
    for cache in Path(os.environ["UNLOST_HOME"]).glob("workspaces/*/claims.json"):
        cache.unlink()


def test_old_boundaries_go_and_the_record_goes_on(repository: Repository, clock: HandClock) -> None:
    """After 30 days a boundary's snapshot goes; claims, check and log go on, from the memory and folded anew."""
    repository.write("main.rs", EDIT)
    first = mark(repository, clock)
    repository.write("lib.rs", "first\n")
    second = mark(repository, clock)
    repository.git("checkout", "-q", "--", "lib.rs")
    clock.wait(20 * DAY)
    with opened(repository, clock) as workspace:
        workspace.accept([b"lib.rs"], why="meant so")
    third = mark(repository, clock)
    clock.wait(20 * DAY)
    assert gc(clock, dry_run=True).to_json()["dropped"] == gc(clock).to_json()["dropped"]

    left = kept(repository, clock)

    assert second not in left
    assert {first, third} <= set(left), "the claim on main.rs was made at the first boundary"
    for _ in range(2):
        with opened(repository, clock) as workspace:
            assert workspace.check().to_json()["verdict"] == "ok"
            rows = workspace.boundaries().rows
            assert [row["kept"] for row in rows] == [True, False, True]
            repository.write("main.rs", COMMITTED)
            assert [each["path"] for each in workspace.check().to_json()["lost"]] == ["main.rs"]
            repository.write("main.rs", EDIT)
        forget_the_fold()


def test_what_an_open_loss_needs_is_never_let_go(repository: Repository, clock: HandClock) -> None:
    """A loss that nobody answered for months is restored byte for byte."""
    repository.write("main.rs", EDIT)
    mark(repository, clock)
    repository.write("main.rs", COMMITTED)
    for _ in range(4):
        clock.wait(40 * DAY)
        mark(repository, clock)
        gc(clock)

    with opened(repository, clock) as workspace:
        restored = workspace.restore(lost=True)

    assert restored.to_json()["verified"]
    assert repository.read("main.rs").decode() == EDIT


def test_the_last_restore_can_be_undone_after_a_collection(repository: Repository, clock: HandClock) -> None:
    """What a restore put aside is kept until another one follows, whatever its age."""
    repository.write("main.rs", EDIT)
    first = mark(repository, clock)
    repository.write("main.rs", "later\n")
    with opened(repository, clock) as workspace:
        workspace.restore([b"main.rs"], source=first)
    clock.wait(40 * DAY)
    gc(clock)

    with opened(repository, clock) as workspace:
        workspace.undo()

    assert repository.read("main.rs") == b"later\n"


def test_a_damaged_record_keeps_everything(repository: Repository, clock: HandClock) -> None:
    """Where a record cannot be read, what its claims need is unknown, and nothing goes."""
    repository.write("main.rs", EDIT)
    first = mark(repository, clock)
    repository.write("main.rs", "later\n")
    mark(repository, clock)
    clock.wait(40 * DAY)
    with sqlite3.connect(Path(os.environ["UNLOST_HOME"]) / "ledger.db") as raw:
        raw.execute("UPDATE events SET facts = '{}' WHERE sequence = 1")

    assert gc(clock).to_json()["dropped"] == 0

    store = next(Path(os.environ["UNLOST_HOME"]).glob("stores/*/store.git"))
    assert Repository(store).git("cat-file", "-t", first) == "commit"


def test_a_forgotten_workspace_leaves_nothing(repository: Repository, clock: HandClock) -> None:
    """After `forget`, a collection drops every snapshot of the workspace and the store that held only them."""
    mark(repository, clock)
    with opened(repository, clock) as workspace:
        workspace.forget()

    assert gc(clock, dry_run=True).to_json()["dropped"] == 1
    assert gc(clock).to_json()["dropped"] == 1

    assert list(Path(os.environ["UNLOST_HOME"]).glob("stores/*")) == []
    assert mark(repository, clock)


def test_linked_work_trees_share_a_store(repository: Repository, clock: HandClock, tmp_path: Path) -> None:
    """Forgetting one work tree of a repository drops its snapshots alone."""
    repository.git("worktree", "add", "-q", "-b", "linked", str(tmp_path / "linked"))
    linked = Repository(tmp_path / "linked")
    linked.write("main.rs", EDIT)
    snapshot = mark(linked, clock)
    mark(repository, clock)
    with opened(repository, clock) as workspace:
        workspace.forget()

    gathered = gc(clock)

    assert [len(each.workspaces) for each in gathered.stores] == [1]
    assert kept(linked, clock) == [snapshot]


def test_tending_thins_and_leaves_a_note(repository: Repository, clock: HandClock) -> None:
    """What a command does on its way out drops what is overdue, and is not due again for an hour."""
    mark(repository, clock)
    for number in range(3):
        repository.write("main.rs", f"{number}\n")
        clock.wait(1.0)
        with opened(repository, clock) as workspace:
            workspace.check()
    clock.wait(2 * 3600.0)
    with opened(repository, clock) as workspace, settings_and_ledger(clock) as (settings, ledger):
        folder = workspace.place.boundaries.archive.layout.store_folder
        assert is_tending_due(folder, clock.now())

        tend_store(folder, settings, ledger, clock)

        assert not is_tending_due(folder, os.stat(os.path.join(folder, "tended")).st_mtime + 60)
    assert len(kept(repository, clock)) == 2, "the boundary, and the newest autosave of its ten minutes"


def test_nested_repositories_follow(repository: Repository, clock: HandClock) -> None:
    """What no snapshot around it links to goes from a nested repository's store, at any depth; the rest can be read."""
    repository.write("main.rs", EDIT)
    vendor = Repository.create(repository.root / "vendor")
    deep = Repository.create(repository.root / "vendor" / "deep")
    gone = Repository.create(repository.root / "gone")
    gone.write("g.txt", "g\n")
    for turn in range(3):
        vendor.write("v.txt", f"vendor {turn}\n")
        deep.write("d.txt", f"deep {turn}\n")
        mark(repository, clock)
        shutil.rmtree(gone.root, ignore_errors=True)
        clock.wait(20 * DAY)
    mark(repository, clock)

    gathered = gc(clock)

    assert [each.left_alone for each in gathered.stores] == [None]
    with opened(repository, clock) as workspace:
        archive = workspace.place.boundaries.archive
        for snapshot in archive.snapshots():
            with archive.nested(b"vendor") as inner, inner.nested(b"deep") as innermost:
                link = archive.entry(snapshot.tree, b"vendor")
                assert link is not None
                held = inner.find(link.oid)
                below = inner.entry(held.tree, b"deep")
                assert below is not None
                assert b"d.txt" in dict(innermost.walk(innermost.find(below.oid).tree))
        with archive.nested(b"vendor") as inner, inner.nested(b"deep") as innermost:
            assert [len(each.snapshots()) for each in (archive, inner, innermost)] == [2, 2, 2]
        with archive.nested(b"gone") as inner:
            assert len(inner.snapshots()) == 1, "a snapshot that stays links to it"
    deep.write("d.txt", "deep and on\n")
    mark(repository, clock)


def test_looks_that_were_killed_are_swept(clock: HandClock) -> None:
    """A throw-away git dir older than an hour goes; a young one may be in use."""
    scratch = Path(os.environ["UNLOST_HOME"], "scratch")
    for name, age in (("look-old", 7200.0), ("look-new", 60.0)):
        (scratch / name / "objects").mkdir(parents=True)
        os.utime(scratch / name, (clock.now() - age, clock.now() - age))

    gc(clock)

    assert os.listdir(scratch) == ["look-new"]


def test_the_command(repository: Repository, program: Program) -> None:
    """`unlost gc` answers with `unlost.gc/1`; status and doctor tell the bytes that are kept."""
    repository.write("main.rs", EDIT)
    program("mark")

    document = program("gc", "--json").json

    assert document["schema"] == "unlost.gc/1"
    assert document["dropped"] == 0
    assert [set(each) for each in document["stores"]] == [
        {"store", "workspaces", "dropped", "bytes_before", "bytes_after", "over", "left_alone"}
    ]
    assert "nothing was changed" in program("gc", "-n").out
    assert program("status", "--json").json["bytes"] >= document["bytes"] > 0
    assert "kept by unlost" in program("doctor").out


def test_a_store_that_grew_is_tended_every_few_minutes_at_most(tmp_path: Path) -> None:
    """A store of many packs is tended before the hour is over; one that two seconds did not help is left in peace."""
    packs = tmp_path / "store.git" / "objects" / "pack"
    packs.mkdir(parents=True)
    for number in range(50):
        (packs / f"pack-{number}.pack").write_bytes(b"")
    tended = tmp_path / "tended"
    tended.write_bytes(b"")
    at = tended.stat().st_mtime

    assert not is_tending_due(str(tmp_path), at + 200)
    assert is_tending_due(str(tmp_path), at + 400)
