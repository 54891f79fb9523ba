"""Random people and random tasks in the same files: what is committed, what is left, held against git's own merge."""

from __future__ import annotations

import random
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from kit.campaign import FULL
from kit.repository import Repository
from publish.committing import Bench

ROUNDS = 400 if FULL else 12
FILES = ("a.txt", "b.txt", "deep/c.txt", "deep/d.txt", "e.txt")
LINES = 24


def lines(name: str) -> list[str]:
    """The content that a file begins with."""
    return [f"{name} {number}\n" for number in range(LINES)]


def edited(text: str, chance: random.Random, word: str) -> str:
    """The text with a few lines changed, added or taken out."""
    kept = text.splitlines(keepends=True)
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(kept)) if kept else 0
        match chance.randrange(3):
            case 0 if kept:
                kept[place] = f"{word} {chance.randrange(1000)}\n"
            case 1:
                kept.insert(place, f"{word} new {chance.randrange(1000)}\n")
            case _ if len(kept) > 1:
                del kept[place]
            case _:
                kept.append(f"{word}\n")
    return "".join(kept)


def change(repository: Repository, *, chance: random.Random, word: str, staging: bool) -> None:
    """Change a few files, in some way."""
    for path in chance.sample(FILES, chance.randint(1, 3)):
        place = repository.root / path
        match chance.randrange(8):
            case 0 if place.exists():
                place.unlink()
            case 1:
                repository.write(f"{word}-{chance.randrange(3)}.txt", f"{word} {chance.randrange(1000)}\n")
            case 2 if place.exists():
                place.chmod(0o755)
            case _:
                before = place.read_text() if place.exists() else "".join(lines(path))
                repository.write(path, edited(before, chance, word))
        if staging and chance.random() < 0.4:
            repository.git("add", "-A", "--", path)
            if chance.random() < 0.5 and place.exists():
                repository.write(path, edited(place.read_text(), chance, f"{word} later"))


def merged(base: str, mine: str, theirs: str) -> str | None:
    """What git's own merge makes of three texts; None where they conflict."""
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, name) for name in ("mine", "base", "theirs")]
        for place, text in zip(places, (mine, base, theirs), strict=True):
            place.write_text(text)
        done = subprocess.run(["git", "merge-file", "-p", *map(str, places)], check=False, capture_output=True)
    return done.stdout.decode() if done.returncode == 0 else None


def staged(repository: Repository) -> dict[str, str]:
    """Path to `mode blob` in the index."""
    rows = (row.split("\t") for row in repository.git("ls-files", "-s", "-z").split("\0") if row)
    return {path: head.rsplit(" ", 1)[0] for head, path in rows}


def committed(repository: Repository, commit: str) -> dict[str, str]:
    """Path to `mode blob` in a commit."""
    rows = (row.split("\t") for row in repository.git("ls-tree", "-r", "-z", commit).split("\0") if row)
    return {path: " ".join(head.split(" ")[::2]) for head, path in rows}


def on_disk(repository: Repository) -> dict[str, tuple[bytes, int]]:
    """Every file of the work tree with its bytes and mode."""
    return {
        str(path.relative_to(repository.root)): (path.read_bytes(), path.stat().st_mode)
        for path in repository.root.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(repository.root).parts
    }


def blob(repository: Repository, entry: str | None) -> str | None:
    """The text of an entry."""
    return None if entry is None else repository.git("cat-file", "blob", entry.split(" ")[1]) + "\n"


@pytest.mark.slow
@pytest.mark.campaign
def test_random_work_is_told_apart(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """Decision 2: whatever a person staged and a task did, files and the entries of others stay as they were."""
    record_property("rounds", ROUNDS)
    held = left_out = 0
    for seed in range(ROUNDS):
        chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
        repository = Repository.create(tmp_path / f"r{seed}")
        for path in FILES:
            repository.write(path, "".join(lines(path)))
        head = repository.commit("first")
        change(repository, chance=chance, word="person", staging=True)
        bench = Bench.of(repository)
        pair = bench.work(partial(change, chance=chance, word="task", staging=False))
        index, files = staged(repository), on_disk(repository)
        old = committed(repository, head)
        before = bench.captures.contents(pair[0])
        composed, delivered = bench.commit(bench.order(pair))
        bench.close()
        assert (composed.refusal, delivered.refusal) == (None, None), seed
        assert on_disk(repository) == files, seed
        new, now = committed(repository, "HEAD"), staged(repository)
        for path in old.keys() | new.keys() | index.keys() | now.keys():
            if old.get(path) == new.get(path):
                assert index.get(path) == now.get(path), (seed, path)
                continue
            held += 1
            check_path(repository, path, (old.get(path), new.get(path)), (index.get(path), now.get(path)), before, seed)
        left_out += len(composed.left_out)
        repository.git("fsck", "--strict")
    record_property("paths", held)
    assert held > ROUNDS / 2
    assert left_out > 0


def check_path(
    repository: Repository,
    path: str,
    heads: tuple[str | None, str | None],
    index: tuple[str | None, str | None],
    before: dict[bytes, bytes],
    seed: int,
) -> None:
    """A committed path: index and files hold what a person had, put onto the new commit by git's own merge."""
    old, new = (blob(repository, entry) for entry in heads)
    was, now = (blob(repository, entry) for entry in index)
    if old is not None and new is not None and was is not None:
        assert now == merged(old, new, was), (seed, path)
    persons = before.get(path.encode())
    place = repository.root / path
    if old is not None and new is not None and persons is not None and place.exists():
        assert place.read_text() == merged(old, new, persons.decode()), (seed, path)
