"""A put or get that is killed: done again, it finishes, and nothing half is ever taken for whole."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kit.repository import Repository
from kit.stores import WORKSPACE, StoringPlace, say_nothing

from unlost.workspace.stores.git import CRASH_POINTS


@pytest.mark.parametrize("point", CRASH_POINTS)
def test_killed_at_any_step_the_same_again_finishes(point: str, repository: Repository, tmp_path: Path) -> None:
    """After a kill at each step the snapshot is there whole or not at all, and a second call makes it whole."""
    shared = tmp_path / "shared.git"
    subprocess.run(["git", "init", "-q", "--bare", str(shared)], check=True)
    repository.write("main.rs", "fn main() {}\n")
    here = StoringPlace(tmp_path / "here", repository.root, str(shared))
    there = StoringPlace(tmp_path / "there", tmp_path / "elsewhere", str(shared))
    snapshot = here.archive.capture()
    puts = point in CRASH_POINTS[:2]
    if not puts:
        here.store().put(snapshot, private=True, progress=say_nothing)

    code = here.killed(point, "put") if puts else there.killed(point, f"get {snapshot.id}")
    if puts:
        here.store().put(snapshot, private=True, progress=say_nothing)

    assert code == -9
    assert there.store().get(WORKSPACE, snapshot.id, progress=say_nothing) == snapshot
    assert there.archive.latest() == snapshot
    assert dict(there.archive.walk(snapshot.tree)) == dict(here.archive.walk(snapshot.tree))
    subprocess.run(["git", "fsck", "--strict"], cwd=shared, check=True, capture_output=True)
    subprocess.run(["git", "fsck"], cwd=there.archive.layout.store, check=True, capture_output=True)
