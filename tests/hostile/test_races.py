"""Names that change while unlost looks or writes, and trees at the edge of what a system allows."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

import pytest
from kit.campaign import rounds
from kit.captures import Captures
from kit.program import Program
from kit.repository import Repository
from kit.restoring import Workbench
from kit.swapping import swapping

from unlost.facts.errors import UnlostError
from unlost.facts.trees import Entry

SECRET = b"the secret of another folder\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder outside every work tree, with a secret under a name that the tree has as well."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "notes.md").write_bytes(SECRET)
    return folder


@pytest.mark.campaign
def test_a_folder_that_swaps_with_a_link_while_it_is_captured(repository: Repository, outside: Path) -> None:
    """N.R2: however a folder and a link to the outside swap in a capture, nothing behind the link is taken."""
    captures = Captures.of(repository)
    captures.capture()
    (repository.root / "link").symlink_to(outside)
    taken: set[bytes] = set()
    wanted_rounds = rounds(20, 1_000)
    with swapping(repository.root, "docs", "link"):
        for number in range(100 * wanted_rounds):
            if number >= wanted_rounds and taken:
                break
            repository.write("main.rs", f"round {number}\n")
            # A tree that never holds still may be refused, with an error; it may not be captured wrongly.
            with contextlib.suppress(UnlostError):
                taken |= set(captures.contents(captures.capture()).values())

    assert taken
    assert SECRET not in taken


@pytest.mark.campaign
def test_a_folder_that_swaps_with_a_link_while_it_is_restored(tmp_path: Path, outside: Path) -> None:
    """N.R2: however a folder and a link to the outside swap in a restore, nothing is written behind the link."""
    bench = Workbench.create(tmp_path / "bench")
    (bench.root / "docs").mkdir()
    (bench.root / "link").symlink_to(outside)
    kept: dict[bytes, Entry] = {}
    wanted_rounds = rounds(60, 3_000)
    with swapping(bench.root, "docs", "link"):
        # How often the folder wins is the scheduler's choice: the rounds go on until it did once.
        for number in range(100 * wanted_rounds):
            if number >= wanted_rounds and kept:
                break
            wanted = bench.store.entry(b"%d\n" % number)
            with contextlib.suppress(UnlostError):
                if bench.restore({b"docs/notes.md": wanted}, kept=kept).restored:
                    kept[b"docs/notes.md"] = wanted
            assert (outside / "notes.md").read_bytes() == SECRET
            assert os.listdir(outside) == ["notes.md"]

    assert kept, "the folder was never restored into, so the test would prove nothing"


def test_a_hard_link_leads_nowhere(repository: Repository, tmp_path: Path, program: Program) -> None:
    """Restoring a name that was made a hard link to another file leaves that file as it is."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"victim\n")
    repository.write("main.rs", "edited\n")
    program("mark")
    repository.remove("main.rs")
    (repository.root / "main.rs").hardlink_to(victim)

    program("restore", "main.rs")

    assert repository.read("main.rs") == b"edited\n"
    assert victim.read_bytes() == b"victim\n"


def test_deep_folders_and_long_names(repository: Repository, program: Program) -> None:
    """Folders 300 deep and names of 255 bytes are captured, found missing, and restored."""
    deep, long = "/".join(["d"] * 300) + "/f", "n" * 255
    repository.write(deep, "deep\n")
    repository.write(long, "long\n")
    program("mark")
    shutil.rmtree(repository.root / "d")
    repository.remove(long)

    lost = program("check", "--json", code=4).json["lost"]
    program("restore", "--lost")

    assert {each["path"] for each in lost} == {deep, long}
    assert (repository.read(deep), repository.read(long)) == (b"deep\n", b"long\n")
