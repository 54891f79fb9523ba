"""Caches that are missing or damaged heal by themselves, and a full disk harms no earlier snapshot."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from kit.captures import Captures
from kit.repository import Repository
from kit.small_disk import small_disk

from unlost.snapshot.baseline import MOVE_FROM
from unlost.snapshot.facts import CaptureFailed, Incomplete, SnapshotUnreadable


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def scramble(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for place in range(len(data) // 3, len(data), 7):
        data[place] ^= 0x55
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("damage", [Path.unlink, cut, scramble])
@pytest.mark.parametrize("name", ["state", "folders", "trees", "trees.index", "git/index", "git/HEAD", "git/commondir"])
def test_damaged_cache(captures: Captures, name: str, damage: Callable[[Path], None]) -> None:
    """Whatever happens to a cache, the next capture equals the tree and goes on counting."""
    captures.repository.write("docs/more/deep.md", "d\n")
    captures.repository.write("secret.key", "s\n")
    captures.repository.write(".gitignore", "*.key\n")
    first = captures.capture("boundary", "one")
    damage(captures.home / "workspaces" / "w-1" / name)
    captures.repository.write("docs/more/deep.md", "edited\n")

    second = captures.capture("boundary", "two")

    captures.prove(second)
    assert second.sequence == first.sequence + 1
    with captures.archive() as archive:
        assert archive.snapshots() == (first, second)


def test_state_home_without_caches(captures: Captures) -> None:
    """When only the store is left, the history is whole and the numbers go on."""
    first = captures.capture("boundary", "one")
    shutil.rmtree(captures.home / "workspaces")

    with captures.archive() as archive:
        assert archive.latest() == first
        assert [path for path, _ in archive.walk(first.tree)] == [b"docs/notes.md", b"lib.rs", b"main.rs"]
    second = captures.capture("boundary", "two")
    assert (second.sequence, second.tree) == (2, first.tree)


def test_caches_and_git_dir_gone_at_once(captures: Captures) -> None:
    """Without caches and without `.git` the work is still captured, measured against the newest snapshot's base."""
    repository = captures.repository
    repository.write("main.rs", "edited\n")
    first = captures.capture("boundary", "one")
    shutil.rmtree(captures.home / "workspaces")
    shutil.rmtree(repository.root / ".git")
    repository.write("lib.rs", "edited too\n")

    second = captures.capture("boundary", "two")

    assert (second.sequence, second.base) == (2, first.base)
    assert list(captures.changes(second)) == [b"lib.rs", b"main.rs"]


def test_distrust_finds_a_forged_time(captures: Captures) -> None:
    """Whatever the system says of a file, after `distrust` it is read; the history goes on."""
    captures.capture("boundary", "one")
    with captures.archive() as archive:
        archive.distrust()
        second = archive.capture(kind="boundary", label="two")

    assert second.sequence == 2
    assert captures.told == ["reading the repository for the first time"] * 2
    captures.prove(second)


def test_work_tree_that_moved(captures: Captures) -> None:
    """After a rename of the whole repository its archive goes on, in one cheap capture, with the rules of its place."""
    repository = captures.repository
    captures.capture("boundary", "one")
    moved = Repository(root=repository.root.parent / "moved")
    repository.root.rename(moved.root)
    moved.write("x.secret", "s\n")
    (moved.root / ".git" / "info" / "exclude").write_text("*.secret\n")
    moved.write("main.rs", "edited\n")
    moved.commit("after the move")
    captures.repository = moved

    second = captures.capture("boundary", "two")

    captures.prove(second)
    assert second.sequence == 2
    assert captures.files(second.private).keys() == {b"x.secret"}
    assert len(captures.told) == 1


def test_store_that_is_gone(captures: Captures) -> None:
    """When the store was removed a capture makes it anew, with every content in it."""
    captures.repository.write("new", "new\n")
    captures.capture("boundary", "one")
    shutil.rmtree(captures.home / "stores")

    snapshot = captures.capture("boundary", "two")

    captures.prove(snapshot)
    assert captures.contents(snapshot)[b"new"] == b"new\n"


def test_damaged_snapshot_hides_no_other(captures: Captures) -> None:
    """One damaged snapshot is left out of the history; the others stand, and reading it is an error that says so."""
    first = captures.capture("autosave")
    captures.repository.write("main.rs", "two\n")
    second = captures.capture("autosave")
    loose = captures.home / "stores/s/store.git/objects" / second.id[:2] / second.id[2:]
    loose.chmod(0o600)
    loose.write_bytes(b"rubbish")

    with captures.archive() as archive:
        assert archive.snapshots() == (first,)
        assert archive.latest() == first
        with pytest.raises(SnapshotUnreadable):
            archive.find(second.id)
        with pytest.raises(SnapshotUnreadable):
            archive.content("f" * 40)


@pytest.mark.parametrize("name", ["move_baseline", "save_state"])
def test_cache_that_cannot_be_written(captures: Captures, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """When only a cache cannot be written, the snapshot that was just recorded is returned, and the next one works."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    captures.capture("boundary", "one")
    captures.repository.write("main.rs", "edited\n")
    with monkeypatch.context() as patched:
        patched.setattr(f"unlost.snapshot.capture.{name}", full)
        second = captures.capture("boundary", "two")
    captures.prove(second)

    assert captures.capture("boundary", "two") == second
    with captures.archive() as archive:
        assert archive.latest() == second


def test_baseline_moves_once(captures: Captures) -> None:
    """When a thousand tracked files differ one capture moves the baseline, and the next ones find nothing to list."""
    repository = captures.repository
    for number in range(MOVE_FROM):
        repository.write(f"many/{number}", "old\n")
    repository.commit("many")
    captures.capture()
    for number in range(MOVE_FROM):
        repository.write(f"many/{number}", "new\n")
    repository.remove("many/0")
    first = captures.capture()
    assert len(captures.baseline_names()) == MOVE_FROM + 2
    assert captures.capture() == first
    repository.write("many/1", "old\n")
    repository.write("many/0", "back\n")
    second = captures.capture()

    captures.prove(second)
    assert len(captures.changes(second)) == MOVE_FROM - 1


def test_users_repository_without_its_objects(captures: Captures) -> None:
    """When the person's objects are damaged the files are captured, measured against the last HEAD, and it is said."""
    repository = captures.repository
    captures.capture()
    repository.write("main.rs", "second\n")
    repository.commit("second")
    shutil.rmtree(repository.root / ".git" / "objects")
    (repository.root / ".git" / "objects").mkdir()
    repository.write("lib.rs", "edited\n")

    for taken in (captures, Captures.of(repository, home="another")):
        snapshot = taken.capture()
        assert Incomplete(path=b".git", reason="missing_object") in snapshot.incomplete
        assert taken.contents(snapshot)[b"lib.rs"] == b"edited\n"
        assert taken.contents(snapshot)[b"main.rs"] == b"second\n"


@pytest.mark.parametrize("kind", ["autosave", "boundary"])
def test_full_disk(captures: Captures, kind: str) -> None:
    """A full disk is an error that says what is safe; earlier snapshots stay whole, and the next capture works."""
    assert kind in ("autosave", "boundary")
    captures.home.mkdir()
    with small_disk(captures.home, "4m"):
        first = captures.capture("boundary", "before")
        contents = captures.contents(first)
        captures.repository.write("large", os.urandom(8 << 20))
        with pytest.raises(CaptureFailed) as failed:
            captures.capture("autosave" if kind == "autosave" else "boundary")
        assert "every earlier snapshot is whole" in failed.value.message
        with captures.archive() as archive:
            assert archive.snapshots() == (first,)
        assert captures.contents(first) == contents

        captures.repository.remove("large")
        captures.repository.write("small", "s\n")
        captures.prove(captures.capture("boundary", "after"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
def test_what_may_not_be_read_is_listed(captures: Captures) -> None:
    """A file and a folder without permission are listed as unreadable; the rest is captured; nothing is 'unchanged'."""
    repository = captures.repository
    repository.write("closed/inside", "i\n")
    repository.write("open", "o\n")
    subprocess.run(["chown", "-R", "65534:65534", str(repository.root.parent)], check=True)
    (repository.root / "main.rs").chmod(0)
    (repository.root / "closed").chmod(0)
    code = (
        "import os\n"
        "from kit.captures import Captures, Repository, Path\n"
        "os.setgid(65534)\n"
        "os.setuid(65534)\n"
        f"snapshot = Captures.of(Repository(root=Path({str(repository.root)!r}))).capture()\n"
        "print(sorted((each.path, each.reason) for each in snapshot.incomplete))\n"
    )
    for folder in (repository.root.parent, *repository.root.parent.parents):
        if folder != Path("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o011)
    home = repository.root.parent / "home"
    home.mkdir(mode=0o777)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "HOME": str(home)},
        check=False,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout == "[(b'closed', 'unreadable'), (b'main.rs', 'unreadable')]\n"


def test_head_that_moves_far(captures: Captures) -> None:
    """Another branch, a reset, an orphan branch: the base follows, and what equals the new HEAD is no change."""
    repository = captures.repository
    captures.capture()
    repository.git("checkout", "-q", "-b", "topic")
    repository.write("topic.rs", "topic\n")
    repository.commit("topic")
    assert captures.changes(captures.capture()) == {}
    repository.git("checkout", "-q", "main")
    assert captures.changes(captures.capture()) == {}
    repository.git("checkout", "-q", "--orphan", "fresh")
    unborn = captures.capture()
    assert unborn.surroundings.head is None
    assert len(captures.changes(unborn)) == 3
    repository.git("rm", "-q", "-r", "--cached", ".")
    repository.git("checkout", "-q", "-f", "topic")
    last = captures.capture()
    captures.prove(last)
    assert captures.changes(last) == {}


def test_replaced_repository(captures: Captures) -> None:
    """A new repository in the same place is followed like a HEAD that moved."""
    captures.capture()
    shutil.rmtree(captures.repository.root / ".git")
    fresh = Repository.create(captures.repository.root)
    fresh.write("main.rs", "other\n")
    commit = fresh.commit("another history")

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert snapshot.surroundings.head == commit
    assert captures.changes(snapshot) == {}
