"""Captures that are begun before they are asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.captures import Captures

from unlost.facts.errors import TryLater
from unlost.git.repository import open_repository
from unlost.host.locks import FileLock
from unlost.snapshot.archive import Archive
from unlost.snapshot.begun import Begun, begin
from unlost.snapshot.facts import Snapshot


def begun_at(captures: Captures) -> Begun | None:
    """A capture of the repository, begun."""
    return begin(folder_of(captures), open_repository(str(captures.repository.root)))


def folder_of(captures: Captures) -> str:
    """The workspace's folder."""
    return str(captures.home / "workspaces" / captures.workspace)


def finished(captures: Captures, begun: Begun | None) -> Snapshot:
    """The snapshot of an archive that goes on with what was begun."""
    place = captures.archive().layout
    with Archive(
        store_folder=place.store_folder,
        workspace_folder=place.workspace_folder,
        workspace=place.workspace,
        root=os.path.realpath(captures.repository.root),
        clock=captures.archive()._place.clock,
        begun=begun,
    ) as archive:
        return archive.capture(kind="boundary", label="begun")


def is_free(captures: Captures) -> bool:
    """Whether another process could capture now."""
    lock = FileLock(os.path.join(folder_of(captures), "capture.lock"))
    try:
        lock.acquire(wait=0.0)
    except TryLater:
        return False
    lock.release()
    return True


def test_a_begun_capture_sees_what_any_capture_sees(captures: Captures) -> None:
    """Edits, deletions and new files from before the beginning are in the snapshot, and the lock is free afterwards."""
    captures.capture()
    captures.repository.write("main.rs", "edited\n")
    captures.repository.write("new/file.rs", "new\n")
    captures.repository.remove("lib.rs")

    begun = begun_at(captures)
    assert begun is not None
    assert not is_free(captures)
    snapshot = finished(captures, begun)

    captures.prove(snapshot)
    assert list(captures.changes(snapshot)) == [b"lib.rs", b"main.rs", b"new/file.rs"]
    assert is_free(captures)


def test_nothing_is_begun_before_the_first_capture(captures: Captures) -> None:
    """A workspace that was never captured has no caches to begin with."""
    assert begun_at(captures) is None


@pytest.mark.parametrize("what", ["commit", "index", "excludes"])
def test_nothing_is_begun_where_there_is_more_to_do(captures: Captures, what: str) -> None:
    """No head start after a commit, a staged file or another ignore rule: the ordinary capture follows them."""
    repository = captures.repository
    captures.capture()
    repository.write("more.rs", "mod more;\n")
    if what == "excludes":
        (Path(repository.root) / ".git" / "info" / "exclude").write_text("*.log\n")
    else:
        repository.git("add", "more.rs")
    if what == "commit":
        repository.git("commit", "-q", "-m", "moved on")

    assert begun_at(captures) is None
    assert is_free(captures)
    captures.prove(captures.capture())


def test_what_no_longer_holds_is_looked_at_again(captures: Captures) -> None:
    """HEAD, index and ignore rules may move between beginning and capture: the snapshot is of the later state."""
    repository = captures.repository
    captures.capture()
    begun = begun_at(captures)
    repository.write("main.rs", "committed\n")
    repository.git("add", "main.rs")
    repository.git("commit", "-q", "-m", "meanwhile")
    (Path(repository.root) / ".git" / "info" / "exclude").write_text("*.log\n")
    repository.write("build.log", "noise\n")

    snapshot = finished(captures, begun)

    captures.prove(snapshot)
    assert captures.changes(snapshot) == {}
    assert snapshot.surroundings.head == repository.git("rev-parse", "HEAD")


def test_damaged_caches_heal_under_a_begun_capture(captures: Captures) -> None:
    """A private index that turns out damaged costs a first capture, and no file is missed."""
    captures.capture()
    captures.repository.write("main.rs", "edited\n")
    (Path(folder_of(captures)) / "git" / "index").write_bytes(b"DIRC damaged")

    captures.prove(finished(captures, begun_at(captures)))


def test_a_begun_capture_of_another_work_tree_is_let_go(captures: Captures) -> None:
    """An archive of another workspace closes what was begun, so that nobody waits for its lock."""
    captures.capture()
    begun = begun_at(captures)
    other = Captures(repository=captures.repository, home=captures.home, workspace="w-2")

    other.prove(finished(other, begun))

    assert is_free(captures)


def test_a_held_lock_or_an_interrupted_restore_leaves_no_head_start(captures: Captures) -> None:
    """Nothing is waited for: another capture, and a restore that has to be finished first, go before."""
    captures.capture()
    with FileLock(os.path.join(folder_of(captures), "capture.lock")):
        assert begun_at(captures) is None
    journals = Path(folder_of(captures)) / "journals"
    journals.mkdir()
    (journals / "restore-1.json").write_text("{}")

    assert begun_at(captures) is None
    assert is_free(captures)


@pytest.mark.parametrize("turn", range(5))
def test_closing_stops_the_look(captures: Captures, turn: int) -> None:
    """A command that does not capture after all closes what was begun; the next capture finds everything whole."""
    captures.capture()
    captures.repository.write("main.rs", f"turn {turn}\n")
    begun = begun_at(captures)
    assert begun is not None

    begun.close()
    begun.close()

    assert is_free(captures)
    captures.prove(captures.capture())
