"""Repositories of a chosen size, the same at every run."""

from __future__ import annotations

from pathlib import Path

from benchmarks.timing import Machine

_FILES_IN_FOLDER = 12


def make_repository(machine: Machine, name: str, files: int) -> Path:
    """A committed tree of so many files of about 1 KB, twelve a folder, three folders deep."""
    root = machine.folder / name
    root.mkdir(parents=True)
    for number in range(files):
        path = file_path(root, number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# file {number}\n" + "".join(f"line_{line} = {line * number}\n" for line in range(45)))
    machine.run(("git", "init", "-q", "-b", "main"), root)
    machine.run(("git", "add", "-A"), root)
    machine.run(("git", "commit", "-q", "-m", "all"), root)
    return root


def file_path(root: Path, number: int) -> Path:
    """Where a file of a synthetic tree is."""
    folder = number // _FILES_IN_FOLDER
    return root / f"part{folder % 7}" / f"area{folder % 31}" / f"folder{folder}" / f"file{number}.py"


def edit(root: Path, files: int, count: int, stamp: int) -> None:
    """Change `count` files of a tree, spread over it; another `stamp` gives another content."""
    for number in range(count):
        place = file_path(root, number * max(1, files // count) % files)
        with place.open("a") as file:
            file.write(f"changed = {stamp}\n")
