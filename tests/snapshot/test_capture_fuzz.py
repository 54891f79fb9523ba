"""Random work trees against an independent walk. `UNLOST_FUZZ_ROUNDS` sets the number of rounds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from kit.captures import Captures
from kit.chaos import Chaos
from kit.repository import Repository

ROUNDS = int(os.environ.get("UNLOST_FUZZ_ROUNDS", "15"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 12])
def test_every_capture_equals_an_independent_walk(tmp_path: Path, seed: int) -> None:
    """Snapshot and private tree hold exactly the files on disk, whatever was done, and `.git` is never touched."""
    repository = Repository.create(tmp_path / "tree")
    for number in range(120):
        repository.write(f"d{number % 12}/e{number % 3}/f{number}", f"{number}\n" * (number % 40))
    repository.commit("base")
    captures, chaos = Captures.of(repository), Chaos(repository, seed)

    for turn in range(ROUNDS):
        chaos.step()
        before = repository.outside_objects()
        snapshot = captures.capture("autosave" if turn % 3 else "boundary", f"turn {turn}")
        assert repository.outside_objects() == before
        captures.prove(snapshot)
        assert snapshot.surroundings.head == repository.git("rev-parse", "HEAD")
        assert snapshot.base == repository.git("rev-parse", "HEAD^{tree}")

    subprocess.run(
        ["git", "-C", str(captures.home / "stores/s/store.git"), "fsck", "--full", "--strict", "--no-dangling"],
        check=True,
        capture_output=True,
    )
