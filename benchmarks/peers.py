"""One snapshot of a work tree, by unlost and by what other tools do, in turns on the same tree.

* `git stash create`: no untracked file is in it, and nothing names it.
* temporary index: the user's index copied, `add -A`, `write-tree`, `commit-tree` into the user's objects.
* shadow git dir: a second repository over the same work tree, `add -A`, `commit`.
* unlost: `unlost mark` as a process, less the time that `unlost --version` takes.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable

from benchmarks.timing import STATUS, UNLOST, Machine, medians, table
from benchmarks.trees import NEW_FILES, Tree

VERSION = "unlost --version"
_HEAD = ("tree and change", "git status", "unlost", "bar", "stash create", "temporary index", "shadow git dir")
CHANGES = (0, 1, 100, NEW_FILES)
_NEW_ROUNDS = 3
_HUGE, _HUGE_ROUNDS = 50_000, 5
"""Trees of so many files are measured in fewer rounds: they vary less, and cost more."""

Call = Callable[[], float]


class Peers:
    """Every way to take a snapshot of one tree; each has seen the tree once."""

    def __init__(self, machine: Machine, tree: Tree) -> None:
        self._machine = machine
        self._tree = tree
        self._shadow = machine.folder / f"{tree.root.name}.shadow"
        machine.run(("git", "init", "-q", "--bare", str(self._shadow)), machine.folder)
        self.calls: dict[str, Call] = {
            "git status": lambda: self._git(*STATUS[1:]),
            "stash create": lambda: self._git("stash", "create"),
            "temporary index": self._temporary,
            "shadow git dir": self._second,
            "unlost": lambda: machine.run((*UNLOST, "mark"), tree.root, codes=(0, 4))[0],
        }
        self.first = {name: call() for name, call in self.calls.items()}

    def _git(self, *arguments: str, index: str | None = None) -> float:
        return self._machine.run(("git", *arguments), self._tree.root, index=index)[0]

    def _temporary(self) -> float:
        index = str(self._machine.folder / "temporary.index")
        shutil.copy2(self._tree.root / ".git" / "index", index)
        taken = self._git("add", "-A", index=index)
        milliseconds, out = self._machine.run(("git", "write-tree"), self._tree.root, index=index)
        return taken + milliseconds + self._git("commit-tree", "-m", "snapshot", out.decode().strip())

    def _second(self) -> float:
        place = (f"--git-dir={self._shadow}", f"--work-tree={self._tree.root}", "-c", "gc.auto=0")
        return self._git(*place, "add", "-A") + self._git(*place, "commit", "-q", "--allow-empty", "-m", "snapshot")


def measure(machine: Machine, trees: list[Tree], rounds: int) -> tuple[str, dict[str, Peers]]:
    """The table, and the peers by the name of their tree."""
    rows: list[list[str]] = []
    known: dict[str, Peers] = {}
    for tree in trees:
        peers = known[tree.root.name] = Peers(machine, tree)
        rows.append(_row(f"{_name(tree)}, first", peers.first | {VERSION: _version(machine)()}, ""))
        wanted = (count for count in CHANGES if count <= tree.files or count == NEW_FILES)
        turns = rounds if tree.files < _HUGE else min(rounds, _HUGE_ROUNDS)
        rows += [_case(machine, tree, peers, count, turns) for count in wanted]
    return table(
        "A snapshot by unlost and by others, medians; ratios to `git status` behind the times", _HEAD, rows
    ), known


def _case(machine: Machine, tree: Tree, peers: Peers, count: int, rounds: int) -> list[str]:
    stamps = itertools.count()
    calls = {name: _after_change(tree, call, count, stamps) for name, call in peers.calls.items()}
    calls[VERSION] = _version(machine)
    found = medians(min(rounds, _NEW_ROUNDS) if count == NEW_FILES else rounds, calls)
    what = "unchanged" if not count else f"{count:,} new" if count == NEW_FILES else f"{count} changed"
    return _row(f"{_name(tree)}, {what}", found, _bar(tree, count))


def _after_change(tree: Tree, call: Call, count: int, stamps: itertools.count[int]) -> Call:
    def changed() -> float:
        stamp = next(stamps)
        if count == NEW_FILES:
            tree.add_new(stamp)
            taken = call()
            tree.remove_new(stamp)
            call()
            return taken
        if count:
            tree.edit(count, stamp)
        return call()

    return changed


def _version(machine: Machine) -> Call:
    return lambda: machine.run((*UNLOST, "--version"), machine.folder)[0]


def _row(what: str, found: dict[str, float], bar: str) -> list[str]:
    status = found["git status"]

    def told(taken: float) -> str:
        return f"{taken:.0f} ms {taken / status:.2f}"

    own = max(0.0, found["unlost"] - found[VERSION])
    others = (told(found[name]) for name in ("stash create", "temporary index", "shadow git dir"))
    return [what, f"{status:.1f} ms", told(own), bar, *others]


def _bar(tree: Tree, count: int) -> str:
    """What the ratio, or the time, is to be at most."""
    if count == NEW_FILES:
        return "500 ms"
    if tree.files <= 1000:
        return "10 ms in process" if count == 1 else ""
    deep = tree.in_folder <= 3
    return {0: "0.60" if deep else "0.70", 1: "0.70" if deep else "0.80", 100: "1.20"}[count]


def _name(tree: Tree) -> str:
    return f"{tree.files:,} files, {tree.in_folder} a folder"
