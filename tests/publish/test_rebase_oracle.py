"""Rebases of random histories, held to what git's own rebase makes of them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from kit.campaign import rounds
from kit.repository import Repository

from unlost.git.repository import open_repository
from unlost.publish.rebase import Conflict, Rebased, rebase
from unlost.publish.store import PublishStore

FILES = ("a.txt", "b/c.txt", "d.txt")


def edit(repository: Repository, chance: random.Random, word: str) -> None:
    """One commit that changes, adds or deletes something."""
    deed = chance.random()
    if deed < 0.12:
        repository.write(f"new-{chance.randrange(3)}.txt", f"{word}\n")
    elif deed < 0.2 and repository.exists("d.txt"):
        repository.remove("d.txt")
    else:
        name = chance.choice(FILES)
        lines = repository.read(name).decode().splitlines() if repository.exists(name) else []
        place = chance.randrange(len(lines) + 1)
        lines[place : place + chance.randrange(3)] = [f"{word} {chance.randrange(100)}"] * chance.randrange(3)
        repository.write(name, "".join(f"{line}\n" for line in lines))
    repository.git("add", "-A")
    repository.git("commit", "-q", "--allow-empty", "-m", word)


@pytest.mark.slow
@pytest.mark.campaign
def test_a_rebase_comes_to_what_git_makes_of_it(tmp_path: Path) -> None:
    """R.58: where git's rebase is clean, ours has the same tree; a conflict of ours is one of git's, too."""
    (tmp_path / "workspace").mkdir()
    clean = 0
    for seed in range(rounds(25, full=400)):
        chance = random.Random(seed)  # noqa: S311  (a seeded history, no secret)
        repository = Repository.create(tmp_path / f"r{seed}")
        for name in FILES:
            repository.write(name, "".join(f"{name} {line}\n" for line in range(14)))
        base = repository.commit("first")
        repository.git("switch", "-q", "-c", "work")
        for number in range(chance.randint(1, 3)):
            edit(repository, chance, f"work {number}")
        tip = repository.git("rev-parse", "HEAD")
        repository.git("switch", "-q", "main")
        for number in range(chance.randint(1, 2)):
            edit(repository, chance, f"main {number}")
        onto = repository.git("rev-parse", "HEAD")
        folder = tmp_path / "workspace" / str(seed)
        folder.mkdir()
        with PublishStore(str(folder), open_repository(str(repository.root))) as store:
            ours = rebase(store, base=base, before=tip, onto=onto)

        repository.git("switch", "-q", "--detach", tip)
        repository.git("rebase", "-q", "--onto", onto, base, check=False)
        in_progress = (repository.root / ".git" / "rebase-merge").exists()
        theirs = None if in_progress else repository.git("rev-parse", "HEAD^{tree}")

        if theirs is not None:
            assert isinstance(ours, Rebased), seed
            assert ours.tree == theirs, seed
            clean += 1
        elif isinstance(ours, Conflict):
            assert ours.paths, seed
    assert clean > 5
