"""A restored root holds what was saved, whatever that was: the same snapshot taken there is the same tree."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kit.places import Places, local_transport
from kit.repository import Repository

from unlost.workspace.facts import Location
from unlost.workspace.script.packs import LARGE

pytestmark = pytest.mark.slow


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    """Nothing yet."""
    made = Places.make(tmp_path / "machines", local_transport())
    yield made
    made.close()


def _names(repository: Repository) -> None:
    for name in (b"new\nline", b'quo"te', b"\xff\xfe", b"-option", b"[id]", b"a:b", "ü".encode(), b" "):
        (repository.root / os.fsdecode(name)).write_text("odd name")
    deep = repository.root.joinpath(*["d"] * 300)
    deep.mkdir(parents=True)
    (deep / "bottom.txt").write_text("deep")


def _large(repository: Repository) -> None:
    (repository.root / "large.bin").write_bytes(os.urandom(1 << 20) * ((LARGE >> 20) + 1))
    (repository.root / "empty").write_bytes(b"")
    (repository.root / "same-1").write_text("twice")
    (repository.root / "same-2").write_text("twice")


def _types(repository: Repository) -> None:
    (repository.root / "parent.txt").unlink()
    (repository.root / "parent.txt").mkdir()
    (repository.root / "parent.txt/inner").write_text("a folder now")
    (repository.root / "tool.sh").chmod(0o644)
    (repository.root / "link").unlink()
    os.symlink("/nowhere/at/all", repository.root / "link")


def _detached(repository: Repository) -> None:
    repository.write("second.txt", "second")
    repository.commit("second")
    repository.git("checkout", "-q", "--detach")


def _branch(repository: Repository) -> None:
    repository.git("checkout", "-q", "-b", "feature/with/slashes")
    repository.write("second.txt", "second")
    repository.commit("second")
    repository.write("staged.txt", "staged")
    repository.git("add", "staged.txt")


CASES: dict[str, Callable[[Repository], None]] = {
    "names": _names,
    "large": _large,
    "types": _types,
    "detached": _detached,
    "branch": _branch,
}


def moved(places: Places, repository: Repository) -> Location:
    """Save the repository at A, restore at B."""
    home, away = places.location("A"), places.location("B")
    saved = places.save(home)
    restored = places.restore(away, holder="child")
    assert restored.snapshot == saved.snapshot.id
    again = places.archive(away).capture(kind="boundary")
    assert again.tree == saved.snapshot.tree
    assert again.surroundings.head == saved.snapshot.surroundings.head
    assert again.surroundings.branch == saved.snapshot.surroundings.branch
    assert Repository(Path(away.root)).git("fsck", "--strict") == ""
    return away


@pytest.mark.parametrize("change", CASES.values(), ids=CASES.keys())
def test_the_restored_root_is_the_saved_one(places: Places, change: Callable[[Repository], None]) -> None:
    """W.A1: names, sizes, types, links, a detached HEAD and a branch come back as they were, the repository sound."""
    repository = places.repository()
    change(repository)

    away = moved(places, repository)

    assert Repository(Path(away.root)).git("rev-list", "--count", "HEAD") == "1"


def test_a_repository_without_a_commit_moves(places: Places) -> None:
    """With nothing committed the new root has its branch, and every file is new there as well."""
    Repository.create(places.root()).write("first.txt", "first")

    away = moved(places, Repository(places.root()))

    assert Repository(Path(away.root)).git("status", "--porcelain", "--branch") == (
        "## No commits yet on main\n?? first.txt"
    )


def test_a_repository_of_the_longer_ids_moves(places: Places) -> None:
    """A repository whose object ids are sha256 comes back as one."""
    repository = Repository.create(places.root(), "--object-format=sha256")
    repository.git("config", "user.email", "a@example.org")
    repository.git("config", "user.name", "A")
    repository.write("first.txt", "first")
    repository.commit("first")
    repository.write("second.txt", "second")

    away = moved(places, repository)

    assert Repository(Path(away.root)).git("rev-parse", "--show-object-format") == "sha256"


def test_private_files_stay_home_unless_asked(places: Places) -> None:
    """Precious ignored files are restored only where a person asked for them."""
    repository = places.repository()
    repository.write(".gitignore", ".env\n")
    repository.write(".env", "SECRET=1\n")
    places.save(places.location("A"))

    without = places.location("B")
    places.restore(without, holder="b")
    places.save(without, holder="b")
    assert not (Path(without.root) / ".env").exists()


def test_private_files_come_along_when_asked(places: Places) -> None:
    """With `private` the precious ignored files are part of the new root."""
    repository = places.repository()
    repository.write(".gitignore", ".env\n")
    repository.write(".env", "SECRET=1\n")
    places.save(places.location("A"))

    places.restore(places.location("B"), holder="b", private=True)

    assert (Path(places.location("B").root) / ".env").read_text() == "SECRET=1\n"


def test_a_file_with_a_second_name_is_copied_not_shared(places: Places) -> None:
    """An unchanged file that has another name outside is written anew: nobody reaches in from there."""
    places.repository()
    home, away = places.location("A"), places.location("B")
    places.prepare(home)
    places.save(home)
    places.restore(away, holder="child")
    places.save(away, holder="child")
    outside = Path(home.root).parent / "outside.txt"
    os.link(Path(home.root) / "parent.txt", outside)

    places.restore(home)
    outside.write_text("from outside\n")

    assert (Path(home.root) / "parent.txt").read_text() == "the parent's file\n"


def test_large_trees_travel_in_bounded_memory(places: Places) -> None:
    """Restoring files of 40 MiB takes no process over 150 MB: packing, sending, staging hold one piece at a time."""
    repository = places.repository()
    for number in range(3):
        (repository.root / f"large-{number}.bin").write_bytes(os.urandom(40 << 20))
    places.save(places.location("A"))
    measured = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    argv = [sys.executable, "-m", "kit.places", str(places.folder), "restore", "B", "child"]

    done = subprocess.run(
        [sys.executable, "-c", measured, *argv], cwd=Path(__file__).parent.parent, capture_output=True, check=True
    )

    unit = 1 if sys.platform == "darwin" else 1024
    assert int(done.stdout) * unit < 150_000_000
    assert (Path(places.location("B").root) / "large-2.bin").stat().st_size == 40 << 20
