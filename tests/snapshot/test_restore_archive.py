"""Restores from a real archive of a real repository: whatever git or a shell did to the tree, it comes back."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kit.hand_clock import HandClock
from kit.repository import Repository

from unlost.facts.trees import Entry
from unlost.git.call import Git
from unlost.host.locks import FileLock
from unlost.snapshot.archive import Archive
from unlost.snapshot.elsewhere import CRASH_POINTS, restore_elsewhere, sweep_elsewhere
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.restore import nothing_kept, restore
from unlost.snapshot.retention import Budget, Held, collect
from unlost.snapshot.thinning import DAY
from unlost.snapshot.wanted import Placed, RestoreFailed
from unlost.snapshot.wishes import kept_in, wishes_between

Accident = Callable[[Repository], object]


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def archive(tmp_path: Path, repository: Repository, clock: HandClock) -> Iterator[Archive]:
    (tmp_path / "journals").mkdir()
    with Archive(
        store_folder=str(tmp_path / "store"),
        workspace_folder=str(tmp_path / "workspace"),
        workspace="w-1",
        root=str(repository.root),
        clock=clock,
    ) as opened:
        yield opened


def work_on(repository: Repository) -> None:
    """Uncommitted work of every kind."""
    repository.write("main.rs", "fn main() {\n    parse();\n}\n")
    repository.write("new/tool.sh", "#!/bin/sh\n", executable=True)
    repository.write("staged.txt", "staged\n")
    repository.git("add", "staged.txt")
    repository.write("windows.txt", b"one\r\ntwo\r\n")
    repository.write(".gitignore", ".env\nnode_modules/\n")
    repository.write(".env", "SECRET=1\n")
    repository.write("node_modules/x.js", "rebuildable")
    os.symlink("main.rs", repository.root / "link")
    repository.remove("lib.rs")


def rewind(archive: Archive, to: Snapshot, journals: Path, *, missing: bool = False) -> Placed:
    """What a rewind does: keep the present, compare, restore what differs."""
    kept = None if missing else archive.capture(kind="kept")
    wishes = wishes_between(archive, kept, to)
    with FileLock(archive.layout.capture_lock):
        return restore(
            archive,
            wishes,
            root=archive.root,
            journals=str(journals),
            kept=kept_in(archive.entry, kept) if kept else nothing_kept,
        )


def store_git(archive: Archive) -> Git:
    """Git on the archive's store."""
    return Git(archive.layout.store, home=archive.layout.home)


def remove_all_but_git(repository: Repository) -> None:
    """`rm -rf *` and all dot files but `.git`."""
    for path in repository.root.iterdir():
        if path.is_dir() and not path.is_symlink():
            if path.name != ".git":
                shutil.rmtree(path)
        else:
            path.unlink()


def overwrite_and_move(repository: Repository) -> None:
    """Empty one file, and move a folder."""
    repository.write("main.rs", "")
    (repository.root / "new").rename(repository.root / "main.d")


ACCIDENTS: dict[str, Accident] = {
    "checkout .": lambda r: r.git("checkout", "."),
    "reset --hard and clean -fdx": lambda r: r.git("reset", "-q", "--hard") + r.git("clean", "-qfdx"),
    "stash -u": lambda r: r.git("stash", "-q", "-u"),
    "rm -rf of everything but .git": remove_all_but_git,
    "rm -rf .git": lambda r: shutil.rmtree(r.root / ".git"),
    "overwritten and moved": overwrite_and_move,
}


@pytest.mark.parametrize("accident", ACCIDENTS)
def test_every_accident_is_undone(archive: Archive, repository: Repository, tmp_path: Path, accident: str) -> None:
    """After any accident a rewind gives the same tree and private files, and touches none of git's own files."""
    work_on(repository)
    before = archive.capture(label="before")
    ACCIDENTS[accident](repository)
    touched = repository.outside_objects() if (repository.root / ".git").exists() else {}
    placed = rewind(archive, before, tmp_path / "journals")
    assert placed.failed == ()
    after = archive.capture(label="after")
    assert (after.tree, after.private) == (before.tree, before.private)
    if touched:
        assert repository.outside_objects() == touched
    assert repository.read("windows.txt") == b"one\r\ntwo\r\n"
    assert repository.read(".env") == b"SECRET=1\n"
    assert not (repository.root / ".unlost").exists()


def test_a_lost_secret_comes_back_for_its_owner_only(archive: Archive, repository: Repository, tmp_path: Path) -> None:
    """A precious ignored file that is gone is made readable for its owner alone."""
    work_on(repository)
    before = archive.capture()
    repository.remove(".env")
    rewind(archive, before, tmp_path / "journals")
    assert (repository.root / ".env").stat().st_mode & 0o777 == 0o600


def test_a_vanished_repository_comes_back_without_git(archive: Archive, repository: Repository, tmp_path: Path) -> None:
    """After `rm -rf` of the repository every file of the snapshot is back, committed ones too; `.git` stays gone."""
    work_on(repository)
    before = archive.capture()
    shutil.rmtree(repository.root)
    placed = rewind(archive, before, tmp_path / "journals", missing=True)
    assert placed.failed == ()
    assert b"docs/notes.md" in placed.restored
    assert not (repository.root / ".git").exists()
    assert repository.read("main.rs") == b"fn main() {\n    parse();\n}\n"


@pytest.mark.parametrize("gone", [False, True], ids=["present", "repository gone"])
def test_elsewhere_is_a_repository_of_its_own(
    archive: Archive, repository: Repository, tmp_path: Path, *, gone: bool
) -> None:
    """A root made elsewhere has the snapshot's files, the commit and branch it stood on, and nothing of the origin."""
    repository.git("switch", "-q", "-c", "topic/x")
    repository.git("remote", "add", "origin", "https://example.org/x")
    (repository.root / ".git/hooks").mkdir(exist_ok=True)
    work_on(repository)
    repository.git("reset", "-q")
    status = repository.git("status", "--porcelain", "-uall")
    snapshot = archive.capture()
    head = repository.git("rev-parse", "HEAD")
    if gone:
        shutil.rmtree(repository.root)
    target = tmp_path / "elsewhere"
    made = restore_elsewhere(
        archive, snapshot, to=str(target), layout=archive.layout, journals=str(tmp_path / "journals")
    )
    assert (made.head, made.branch, made.substitute) == (head, "refs/heads/topic/x", False)
    there = Repository(target)
    assert there.git("status", "--porcelain", "-uall") == status
    assert there.git("rev-parse", "HEAD") == head
    assert there.git("symbolic-ref", "HEAD") == "refs/heads/topic/x"
    assert there.git("remote") == ""
    assert there.git("fsck", "--strict") == ""
    assert not (target / ".git/hooks").exists()
    assert sorted(os.listdir(tmp_path / "journals")) == []
    assert there.read(".env") == b"SECRET=1\n"
    assert [path for path in os.listdir(tmp_path) if "unlost" in path] == []


def test_elsewhere_without_the_commit(archive: Archive, repository: Repository, tmp_path: Path) -> None:
    """When the store has let go of the commit, one of the same content stands in its place and says so."""
    work_on(repository)
    snapshot = archive.capture()
    old = snapshot.surroundings.head
    repository.git("commit", "-q", "--amend", "-m", "another")
    archive.capture()
    archive.close()
    look = [Held(layout=archive.layout, snapshots=archive.snapshots())]
    collect(lambda: look, store_git(archive), announce=lambda _: None, budget=Budget(), clock=HandClock())
    made = restore_elsewhere(
        archive, snapshot, to=str(tmp_path / "there"), layout=archive.layout, journals=str(tmp_path / "journals")
    )
    assert made.substitute
    assert made.head not in (None, old)
    assert str(old) in Repository(tmp_path / "there").git("log", "-1", "--format=%B")


def test_elsewhere_refuses_what_is_occupied(archive: Archive, repository: Repository, tmp_path: Path) -> None:
    """A folder that holds anything is refused and stays as it is; an empty one is taken; one below none is refused."""
    snapshot = archive.capture()
    journals = str(tmp_path / "journals")
    occupied, empty = tmp_path / "occupied", tmp_path / "empty"
    occupied.mkdir()
    empty.mkdir()
    (occupied / "f").write_text("mine")
    with pytest.raises(RestoreFailed, match="not empty; nothing was changed"):
        restore_elsewhere(archive, snapshot, to=str(occupied), layout=archive.layout, journals=journals)
    assert os.listdir(occupied) == ["f"]
    with pytest.raises(RestoreFailed, match="nothing was changed"):
        restore_elsewhere(archive, snapshot, to=str(tmp_path / "no/such"), layout=archive.layout, journals=journals)
    restore_elsewhere(archive, snapshot, to=str(empty), layout=archive.layout, journals=journals)
    assert (empty / "main.rs").exists()
    assert os.listdir(journals) == []


@pytest.mark.slow
@pytest.mark.parametrize("point", CRASH_POINTS)
def test_killed_while_it_makes_a_root_elsewhere(
    archive: Archive, repository: Repository, tmp_path: Path, point: str
) -> None:
    """Killed at any point, the new root is there whole or not at all; sweeping leaves nothing, and a retry makes it."""
    work_on(repository)
    snapshot = archive.capture()
    journals, target = tmp_path / "journals", tmp_path / "there"
    program = (
        "import sys; from kit.hand_clock import HandClock; from unlost.snapshot.archive import Archive\n"
        "from unlost.snapshot.elsewhere import restore_elsewhere; folder, root = sys.argv[1:]\n"
        "archive = Archive(store_folder=folder + '/store', workspace_folder=folder + '/workspace',\n"
        "                  workspace='w-1', root=root, clock=HandClock())\n"
        "restore_elsewhere(archive, archive.latest(), to=folder + '/there', layout=archive.layout,\n"
        "                  journals=folder + '/journals')"
    )
    environment = {**os.environ, "UNLOST_CRASH_AT": point, "PYTHONPATH": str(Path(__file__).parent.parent)}
    command = [sys.executable, "-c", program, str(tmp_path), str(repository.root)]
    assert subprocess.run(command, env=environment, check=False, timeout=240).returncode == -signal.SIGKILL
    assert target.exists() == (point == "elsewhere.published")
    assert sweep_elsewhere(str(journals)) == 1
    assert os.listdir(journals) == []
    assert [name for name in os.listdir(tmp_path) if "unlost" in name] == []
    if not target.exists():
        restore_elsewhere(archive, snapshot, to=str(target), layout=archive.layout, journals=str(journals))
    assert Repository(target).git("fsck", "--strict") == ""
    assert (target / "main.rs").read_bytes() == repository.read("main.rs")


def test_before_the_first_commit(tmp_path: Path, clock: HandClock) -> None:
    """A repository without a commit is restored elsewhere on its unborn branch."""
    made = Repository.create(tmp_path / "fresh", "--object-format=sha256")
    made.write("a", "a")
    (tmp_path / "journals").mkdir()
    with Archive(
        store_folder=str(tmp_path / "store"),
        workspace_folder=str(tmp_path / "workspace"),
        workspace="w-2",
        root=str(made.root),
        clock=clock,
    ) as archive:
        snapshot = archive.capture()
        there = restore_elsewhere(
            archive, snapshot, to=str(tmp_path / "x"), layout=archive.layout, journals=str(tmp_path / "journals")
        )
    assert there.head is None
    assert Repository(tmp_path / "x").git("status", "--porcelain") == "?? a"


def test_captures_go_on_after_a_collection(archive: Archive, repository: Repository, clock: HandClock) -> None:
    """Collecting a store that is in use keeps every young snapshot whole, and the next captures are whole too."""
    kept: list[Snapshot] = []
    for number in range(4):
        repository.write("main.rs", f"version {number}\n")
        repository.write(f"made{number}", f"{number}\n")
        clock.wait(20 * DAY)
        kept.append(archive.capture(label=str(number)))
    look = [Held(layout=archive.layout, snapshots=archive.snapshots())]
    collected = collect(
        lambda: look, store_git(archive), announce=lambda _: None, budget=Budget(keep=30 * DAY), clock=clock
    )
    assert [snapshot.sequence for snapshot in collected.dropped] == [kept[0].sequence, kept[1].sequence]
    repository.write("main.rs", "version 0\n")
    again = archive.capture(label="again")
    archive.close()
    assert archive.snapshots() == (*kept[2:], again)
    assert archive.entry(again.tree, b"main.rs") == Entry("100644", repository.git("hash-object", "main.rs"))
    assert archive.content(repository.git("hash-object", "main.rs")) == b"version 0\n"
    assert Repository(Path(archive.layout.store)).git("fsck", "--strict", "--no-dangling") == ""
