"""Random work trees against an independent walk, made anew for each round."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from kit.campaign import FULL, rounds
from kit.captures import Captures
from kit.chaos import Chaos
from kit.repository import Repository

SEEDS = range(11, 31) if FULL else (11, 12)
ROUNDS = rounds(15, 100)
"""Rounds of each seed: 2,000 in all. A tree grows with its rounds, and a young one is as good a trial as an old one."""


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("seed", SEEDS)
def test_every_capture_equals_an_independent_walk(
    tmp_path: Path, seed: int, record_property: Callable[[str, object], None]
) -> None:
    """Snapshot and private tree hold exactly the files on disk, whatever was done, and `.git` is never touched."""
    repository = Repository.create(tmp_path / "tree")
    for number in range(60):
        repository.write(f"d{number % 12}/e{number % 3}/f{number}", f"{number}\n" * (number % 40))
    repository.commit("base")
    captures, chaos = Captures.of(repository), Chaos(repository, seed)
    record_property("rounds", ROUNDS)

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
