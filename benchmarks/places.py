"""A workspace on its way: saving to a shared store, restoring cold beside a clone, and onto a warm root."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path

from benchmarks.timing import UNLOST, Ended, Machine, medians, table
from benchmarks.trees import Tree

_HEAD = ("case", "beside it", "unlost", "ratio", "bar")
_MOST_MEGABYTES = 150
_WRITTEN = re.compile(rb"([0-9,]+) files? written(?: . ([0-9,]+) taken over)?")


def measure(machine: Machine, tree: Tree, rounds: int) -> str:
    """One table. The tree is changed for good."""
    return _Moves(machine, tree).measure(rounds)


class _Moves:
    """The two places of one workspace, and the store between them."""

    def __init__(self, machine: Machine, tree: Tree) -> None:
        self._machine = machine
        self._tree = tree
        store = machine.folder / "places.git"
        machine.run(("git", "init", "-q", "--bare", str(store)), machine.folder)
        self._variables = {
            "UNLOST_STORE": str(store),
            "UNLOST_PLACE": "bench",
            "UNLOST_HOME": str(machine.folder / "places-state"),
        }
        self._stamps = itertools.count(2 * 10**6)
        self._memory: list[float] = []
        self._workspace = ""

    def measure(self, rounds: int) -> str:
        """Every case, in turns where two things are compared."""
        self._unlost(self._tree.root, "mark")
        first = self._unlost(self._tree.root, "workspace", "save", "--json")
        self._workspace = json.loads(first.out)["workspace"]
        rows = [
            [f"{self._tree.files:,} files, first save", "", f"{first.milliseconds:.0f} ms", "", ""],
            self._saves(rounds),
            self._cold(max(3, rounds // 3)),
            self._warm(),
            ["memory, the largest process", "", f"{max(self._memory):.0f} MB", "", f"{_MOST_MEGABYTES} MB"],
        ]
        return table("Places, over a shared bare repository and `local`; whole processes", _HEAD, rows)

    def _saves(self, rounds: int) -> list[str]:
        def after_an_edit(*command: str) -> Callable[[], float]:
            def call() -> float:
                self._tree.edit(1, next(self._stamps))
                return self._unlost(self._tree.root, *command).milliseconds

            return call

        found = medians(rounds, {"mark": after_an_edit("mark"), "save": after_an_edit("workspace", "save")})
        return self._row("save after 1 changed file, beside `mark`", found["mark"], found["save"], "1.50")

    def _cold(self, rounds: int) -> list[str]:
        numbers = itertools.count()

        def restored() -> float:
            root = self._machine.folder / f"restored{next(numbers)}"
            return self._to(root, "--abandon").milliseconds

        def cloned() -> float:
            root = self._machine.folder / f"clone{next(numbers)}"
            argv = ("git", "clone", "-q", "--no-local", str(self._tree.root), str(root))
            # It stays: right after 30,000 files were removed ext4 takes ten times as long to make any.
            return self._machine.run(argv, self._machine.folder)[0]

        found = medians(rounds, {"clone": cloned, "restore": restored})
        return self._row("cold restore, beside `git clone --no-local`", found["clone"], found["restore"], "1.50")

    def _warm(self) -> list[str]:
        """The next epoch onto a root that retired with all but one file of it."""
        one, other = self._machine.folder / "one", self._machine.folder / "other"
        self._to(one, "--abandon")
        self._unlost(one, "workspace", "save")
        self._to(other)
        tree = Tree(root=other, files=self._tree.files, in_folder=self._tree.in_folder)
        tree.edit(1, next(self._stamps))
        self._unlost(other, "workspace", "save")
        ended = self._to(one)
        found = _WRITTEN.search(ended.out)
        written = found[1].decode() if found else "?"
        return ["next epoch onto a warm root: files written", "1", written, "", f"{ended.milliseconds:.0f} ms"]

    def _to(self, root: Path, *more: str) -> Ended:
        command = ("workspace", "restore", self._workspace, "--to", str(root), *more)
        return self._unlost(self._machine.folder, *command)

    def _unlost(self, folder: Path, *arguments: str) -> Ended:
        ended = self._machine.watch((*UNLOST, *arguments), folder, (0, 4), self._variables)
        self._memory.append(ended.megabytes)
        return ended

    def _row(self, what: str, beside: float, own: float, bar: str) -> list[str]:
        return [what, f"{beside:.0f} ms", f"{own:.0f} ms", f"{own / beside:.2f}", bar]
