"""Captures beside a person's git that collects garbage all the time, and what ten repacks make of the store."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from kit.campaign import rounds
from kit.captures import Captures
from kit.repository import Repository

from unlost.git.call import Git
from unlost.snapshot.repacking import repack_all, size_of

CAPTURES = rounds(25, 1_000)
SIZE = 256 << 10
EDITS = rounds(3, 8)
MOST = 1.2
"""How much larger than its own content a store may be."""


@contextmanager
def collecting(repository: Repository, turn: threading.Lock) -> Iterator[list[str]]:
    """`git gc --prune=now` in a loop; what it complained of. `turn`: git itself may not commit while it prunes."""
    complaints: list[str] = []
    leave = threading.Event()

    def collect() -> None:
        while not leave.is_set():
            with turn:
                done = subprocess.run(
                    ["git", "gc", "-q", "--prune=now"],
                    cwd=repository.root,
                    capture_output=True,
                    text=True,
                    check=False,
                )
            complaints.append(done.stderr if done.returncode else "")

    thread = threading.Thread(target=collect)
    thread.start()
    try:
        yield complaints
    finally:
        leave.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.campaign
def test_no_snapshot_breaks_beside_gc(captures: Captures, record_property: Callable[[str, object], None]) -> None:
    """Snapshots taken while the person's git collects and prunes all the time: none breaks, and git never fails."""
    repository = captures.repository
    taken = []
    turn_of_git = threading.Lock()
    with collecting(repository, turn_of_git) as complaints:
        for turn in range(CAPTURES):
            repository.write(f"file{turn % 7}", f"turn {turn}\n")
            if turn % 5 == 0:
                with turn_of_git:
                    repository.git("add", "-A")
                    if turn % 20 == 0:
                        repository.git("commit", "-q", "--allow-empty", "-am", f"turn {turn}")
            taken.append((turn, captures.capture("boundary" if turn % 3 == 0 else "autosave", f"turn {turn}")))
    record_property("snapshots", len(taken))
    record_property("collections", len(complaints))

    with captures.archive() as archive:
        for turn, snapshot in taken:
            entry = archive.entry(snapshot.tree, b"file%d" % (turn % 7))
            assert entry is not None
            assert archive.content(entry.oid) == b"turn %d\n" % turn
    captures.store_git("fsck", "--full", "--strict", "--no-dangling")
    assert set(complaints) == {""}
    assert "missing" not in repository.git("fsck", "--full")


@pytest.mark.slow
@pytest.mark.campaign
def test_ten_repacks_do_not_swell_the_store(captures: Captures, record_property: Callable[[str, object], None]) -> None:
    """The store stays within 1.2 times its own content although the person repacks ten times."""
    repository = captures.repository
    for number in range(40):
        repository.write(f"data/{number}", os.urandom(SIZE))
    repository.write("notes.md", "begin\n")
    repository.commit("data")
    for turn in range(10):
        for edit in range(EDITS):
            repository.write(f"data/{(turn * EDITS + edit) % 40}", os.urandom(SIZE))
            captures.capture("boundary", f"{turn} {edit}")
        repository.write("notes.md", f"turn {turn}\n" * 100)
        repository.git("commit", "-q", "-m", f"turn {turn}", "--", "notes.md")
        captures.capture("boundary", f"turn {turn}")
        repository.git("repack", "-a", "-d", "-q")
    with captures.archive() as archive:
        git = Git(archive.layout.store, home=archive.layout.home)
    grown = size_of(git.git_dir)
    repack_all(git)
    record_property("percent of its content", round(100 * grown / size_of(git.git_dir)))

    assert grown <= MOST * size_of(git.git_dir)
