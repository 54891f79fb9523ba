"""A capture may be killed at any instant: the next one works, and no snapshot that existed is harmed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from dataclasses import replace

import pytest
from kit.captures import Captures
from kit.repository import Repository

from unlost.snapshot.baseline import MOVE_FROM

FIRST = ("capture.stores_made", "capture.index_started")
EVERY = (
    "capture.before_objects",
    "capture.before_refs",
    "capture.before_snapshot",
    "capture.before_state",
    "capture.trees_flushed",
)
MOVING = ("capture.baseline_placed", "capture.baseline_read")
KILLS = int(os.environ.get("UNLOST_KILLS", "12"))


def killed_at(captures: Captures, point: str) -> None:
    """Run a capture that dies at a crash point."""
    child = captures.start("boundary", "killed", UNLOST_CRASH_AT=point)
    _, errors = child.communicate(timeout=240)
    assert child.returncode == -signal.SIGKILL, errors


def whole(captures: Captures) -> None:
    """Every snapshot reads, the newest equals the tree, numbers rise, and the store is sound."""
    snapshot = captures.capture("boundary", "after")
    captures.prove(snapshot)
    with captures.archive() as archive:
        found = archive.snapshots()
    assert found[-1] == snapshot
    assert [each.sequence for each in found] == sorted({each.sequence for each in found})
    captures.store_git("fsck", "--strict", "--no-dangling")


@pytest.mark.parametrize("point", FIRST + EVERY)
def test_killed_first_capture(captures: Captures, point: str) -> None:
    """A first capture that is killed at any named point is simply done again."""
    captures.repository.write("new", "new\n")
    killed_at(captures, point)

    whole(captures)


@pytest.mark.parametrize("point", EVERY)
def test_killed_later_capture(captures: Captures, point: str) -> None:
    """A later capture that is killed at any named point loses nothing and blocks nothing, even twice in a row."""
    captures.repository.write("secret.key", "s\n")
    captures.repository.write(".gitignore", "*.key\n")
    before = captures.capture("boundary", "before")
    for turn in range(2):
        captures.repository.write("main.rs", f"turn {turn}\n")
        captures.repository.write("secret.key", f"turn {turn}\n")
        killed_at(captures, point)

    whole(captures)
    with captures.archive() as archive:
        assert archive.snapshots()[0] == before


@pytest.mark.slow
@pytest.mark.parametrize("point", MOVING)
def test_killed_while_the_baseline_moves(captures: Captures, point: str) -> None:
    """Between the old and the new private baseline the next capture finds its way."""
    repository = captures.repository
    for number in range(MOVE_FROM):
        repository.write(f"many/{number}", "old\n")
    repository.commit("many")
    captures.capture()
    for number in range(MOVE_FROM):
        repository.write(f"many/{number}", "new\n")
    killed_at(captures, point)

    whole(captures)


@pytest.mark.slow
def test_killed_at_any_instant(captures: Captures) -> None:
    """Killed after random times, alone (its git goes on) or with all it started, a capture leaves the next one working.

    `UNLOST_KILLS` sets the number of kills.
    """
    chance = random.Random(5)  # noqa: S311  (repeatable on purpose)
    captures.capture("boundary", "before")
    for turn in range(KILLS):
        captures.repository.write(f"file{turn % 5}", f"{turn}\n" * 1000)
        child = captures.start("boundary", f"turn {turn}")
        try:
            child.wait(timeout=chance.uniform(0.08, 0.35))
        except subprocess.TimeoutExpired:
            (os.killpg if turn % 2 else os.kill)(child.pid, signal.SIGKILL)
        child.communicate()
        if turn % 4 == 3:
            captures.prove(captures.capture())

    whole(captures)
    captures.store_git("prune")
    assert not list((captures.home / "stores/s/store.git").rglob("tmp_*"))


def test_stale_locks_of_our_own(captures: Captures) -> None:
    """Lock files that a killed git left in our git dir are in nobody's way; the person's index.lock is not ours."""
    captures.capture()
    (captures.home / "workspaces/w-1/git/index.lock").write_bytes(b"")
    users = captures.repository.root / ".git" / "index.lock"
    users.write_bytes(b"theirs")
    captures.repository.write("main.rs", "edited\n")

    captures.prove(captures.capture())
    assert users.read_bytes() == b"theirs"


@pytest.mark.slow
def test_captures_at_once(captures: Captures) -> None:
    """Captures in several processes take turns, beside the person's own git: all succeed, with numbers of their own."""
    captures.capture()
    for turn in range(3):
        running = [captures.start("boundary", f"{turn} {number}") for number in range(4)]
        captures.repository.write(f"beside{turn}", "x\n")
        captures.repository.git("add", "-A")
        for child in running:
            _, errors = child.communicate(timeout=240)
            assert child.returncode == 0, errors

    whole(captures)
    with captures.archive() as archive:
        assert len(archive.snapshots()) == 14


def test_two_work_trees_share_a_store(captures: Captures) -> None:
    """Linked work trees that are first captured at the same time make one store between them."""
    repository = captures.repository
    linked = Repository(root=repository.root.parent / "linked")
    repository.git("worktree", "add", "-q", str(linked.root))
    trees = [replace(captures, repository=tree, workspace=f"w-{tree.root.name}") for tree in (repository, linked)]
    for child in [tree.start() for tree in trees]:
        _, errors = child.communicate(timeout=240)
        assert child.returncode == 0, errors

    names = captures.store_git("for-each-ref", "--format=%(refname)", "refs/snap").split()
    assert names == [b"refs/snap/w-linked/1", b"refs/snap/w-repository/1"]
    for tree in trees:
        tree.prove(tree.capture())
