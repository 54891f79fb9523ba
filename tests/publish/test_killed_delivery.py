"""A delivery that is killed at each of its steps, with a real SIGKILL, then settled as a resumed unit does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from kit.repository import Repository
from publish.committing import Bench

from unlost.git.deliver import POINTS

STAGED = "staged.txt"


def killed(bench: Bench, point: str, before: str, after: str) -> int:
    """Commit in a process of its own that dies at a point."""
    return subprocess.run(
        [sys.executable, "-m", "publish.committing", str(bench.repository.root), before, after],
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "UNLOST_CRASH_AT": point},
        check=False,
        timeout=240,
        stdout=subprocess.DEVNULL,
    ).returncode


def status(repository: Repository) -> str:
    """What `git status` says, without waiting for anybody's lock."""
    return repository.git("--no-optional-locks", "status", "--porcelain=v1", "-uall")


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_delivery_is_found_or_made_again(bench: Bench, point: str) -> None:
    """Decision 12: killed anywhere, the commit is found by its id, or made again; what was staged is as before."""
    repository = bench.repository
    repository.write(STAGED, "staged\n")
    repository.git("add", STAGED)
    before, after = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    head = repository.git("rev-parse", "HEAD")
    order = bench.order((before, after))
    composed = bench.commits().compose(order)
    assert composed.commit is not None

    assert killed(bench, point, before.id, after.id) == -signal.SIGKILL
    assert repository.read("main.rs") == b"fn main() {}\n"
    moved = repository.git("rev-parse", "HEAD") != head
    found = bench.commits().settle(order, before=head, commit=composed.commit)

    assert found == (composed.commit if moved else None)
    assert moved == (point in ("deliver.moved", "deliver.unlocked"))
    assert not [name for name in os.listdir(repository.root / ".git") if "unlost" in name or name.endswith(".lock")]
    assert status(repository) == f"A  {STAGED}" if moved else f" M main.rs\nA  {STAGED}"
    if not moved:
        assert bench.commit(order)[1].refusal is None
    assert repository.git("rev-parse", "HEAD") == composed.commit
    assert status(repository) == f"A  {STAGED}"
    assert repository.git("rev-list", "--count", "HEAD") == "2"
    repository.git("fsck", "--strict")


def test_a_commit_is_found_by_its_trailers(bench: Bench) -> None:
    """A person who amended unlost's commit before it was settled still has it: the trailers name it."""
    repository = bench.repository
    pair = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    head = repository.git("rev-parse", "HEAD")
    order = bench.order(pair)
    composed, _ = bench.commit(order)
    assert composed.commit is not None
    message = repository.git("log", "-1", "--format=%B")
    repository.git("commit", "-q", "--amend", "-m", f"Better words\n\n{message}")
    amended = repository.git("rev-parse", "HEAD")
    repository.git("commit", "-q", "--allow-empty", "-m", "and one more")

    assert bench.commits().settle(order, before=head, commit=composed.commit) == amended
    assert bench.commits().settle(bench.order(pair, name="other 1"), before=head, commit="0" * 40) is None


def test_a_lock_of_somebody_else_is_never_taken(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a lock that bears unlost's own mark is removed; one of git's, even a stale one, is a person's to remove."""
    monkeypatch.setattr("unlost.publish.commits._PATIENCE", 0.0)
    repository = bench.repository
    pair = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    lock = repository.root / ".git" / "index.lock"
    lock.write_bytes(b"DIRC")
    order = bench.order(pair)
    composed, delivered = bench.commit(order)
    assert composed.before is not None
    assert composed.commit is not None
    bench.commits().settle(order, before=composed.before, commit=composed.commit)

    assert delivered.refusal == "index_locked"
    assert lock.read_bytes() == b"DIRC"
    assert repository.git("rev-parse", "HEAD") == composed.before


def test_an_index_that_git_has_written_since_is_not_taken_back(bench: Bench) -> None:
    """After a kill a person removed the lock and staged something: settling leaves their index alone."""
    repository = bench.repository
    before, after = bench.work(lambda made: made.write("main.rs", "fn main() {}\n"))
    head = repository.git("rev-parse", "HEAD")
    order = bench.order((before, after))
    composed = bench.commits().compose(order)
    assert composed.commit is not None
    assert killed(bench, "deliver.index", before.id, after.id) == -signal.SIGKILL
    os.unlink(repository.root / ".git" / "index.lock")
    repository.write(STAGED, "staged\n")
    repository.git("add", STAGED)

    assert bench.commits().settle(order, before=head, commit=composed.commit) is None
    assert status(repository) == f"M  main.rs\nA  {STAGED}"
    assert bench.commit(order)[1].refusal is None
    assert status(repository) == f"A  {STAGED}"
