"""Repositories of a chosen size and shape, the same at every run."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from benchmarks.timing import Machine

NEW_FILES = 5_000
NEW_SIZE = 2_048


@dataclass(frozen=True)
class Tree:
    """A committed tree of so many files of about 1 KB, `in_folder` of them in each folder, three folders deep.

    Real repositories have two to fifteen files a folder; the fewer, the more a cache of folders saves.
    """

    root: Path
    files: int
    in_folder: int

    @classmethod
    def make(cls, machine: Machine, name: str, files: int, *, in_folder: int = 12) -> Tree:
        """Write and commit it."""
        tree = cls(root=machine.folder / name, files=files, in_folder=in_folder)
        tree.root.mkdir(parents=True)
        lines = "".join(f"line_{line} = {line}\n" for line in range(60))
        for number in range(files):
            path = tree.place(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# file {number}\n{lines}")
        machine.run(("git", "init", "-q", "-b", "main"), tree.root)
        machine.run(("git", "add", "-A"), tree.root)
        machine.run(("git", "commit", "-q", "-m", "all"), tree.root)
        return tree

    def place(self, number: int) -> Path:
        """Where a file is."""
        folder = number // self.in_folder
        return self.root / f"part{folder % 7}" / f"area{folder % 31}" / f"folder{folder}" / f"file{number}.py"

    def edit(self, count: int, stamp: int) -> None:
        """Change `count` files, spread over the tree; another `stamp` gives another content of the same files."""
        for number in range(count):
            place = self.place(number * max(1, self.files // count) % self.files)
            place.write_text(place.read_text().partition("changed")[0] + f"changed = {stamp}\n")

    def add_new(self, stamp: int, count: int = NEW_FILES, *, name: str = "new") -> None:
        """Write so many untracked files of 2 KB, fifty a folder; those below `new…` make no claims."""
        for number in range(count):
            place = self.root / f"{name}{stamp}" / f"folder{number // 50}" / f"new{number}.txt"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"{stamp} {number}\n" + "x" * (NEW_SIZE - 16) + "\n")

    def remove_new(self, stamp: int) -> None:
        """Take them away again."""
        shutil.rmtree(self.root / f"new{stamp}")
