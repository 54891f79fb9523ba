"""What is heavy: a 500 MB binary, 15,000 untracked files that stay, 200 claims, memory, and disk over 100 snapshots."""

from __future__ import annotations

import hashlib
import itertools
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.peers import VERSION, Peers
from benchmarks.timing import STATUS, UNLOST, Machine, medians, table
from benchmarks.trees import Tree

_LARGE = 500 << 20
_STAYING = 15_000
_CLAIMS = 200
_SNAPSHOTS = 100
_EDITS = 3


def measure(machine: Machine, tree: Tree, peers: Peers, rounds: int, *, snapshots: int = _SNAPSHOTS) -> str:
    """Three tables. The tree is changed for good."""
    return "\n".join(
        [
            _disk(machine, tree, peers, snapshots),
            _ratios(machine, tree, rounds),
            _large(machine, rounds),
        ]
    )


def memory(machine: Machine, tree: Tree) -> str:
    """What registration with its first capture, and later commands, take of memory; git's share is counted too."""
    again = machine.folder / "second-state"
    other = {"UNLOST_HOME": str(again)}
    first = machine.watch((*UNLOST, "mark"), tree.root, codes=(0, 4), variables=other)
    rows = [["registration and first mark", f"{first.megabytes:.0f} MB", f"{first.milliseconds / 1e3:.1f} s"]]
    for name in ("mark", "check", "status"):
        ended = machine.watch((*UNLOST, name), tree.root, codes=(0, 4), variables=other)
        rows.append([name, f"{ended.megabytes:.0f} MB", f"{ended.milliseconds / 1e3:.2f} s"])
    shutil.rmtree(again)
    return table(
        f"Memory at {tree.files:,} files, at most 200 MB; the largest process", ("command", "memory", "time"), rows
    )


def _disk(machine: Machine, tree: Tree, peers: Peers, snapshots: int) -> str:
    """What so many snapshots of three edits each add on the disk."""
    stamps = itertools.count(10**6)
    places = {
        "unlost": machine.folder / "state",
        "shadow git dir": machine.folder / f"{tree.root.name}.shadow",
        "temporary index": tree.root / ".git",
    }
    rows = []
    for name, place in places.items():
        before = _size(place)
        for _ in range(snapshots):
            tree.edit(_EDITS, next(stamps))
            peers.calls[name]()
        rows.append(
            [name, f"{(_size(place) - before) / 1e6:.1f} MB", f"{(_size(place) - before) / snapshots / 1e3:.0f} KB"]
        )
    title = f"Disk for {snapshots} snapshots of {_EDITS} edits each, at {tree.files:,} files"
    return table(title, ("way", "added", "a snapshot"), rows)


def _ratios(machine: Machine, tree: Tree, rounds: int) -> str:
    """Many claims, then many untracked files that stay, all unchanged."""
    tree.edit(_CLAIMS, 1)
    machine.run((*UNLOST, "mark"), tree.root, codes=(0, 4))
    rows = [_unchanged(machine, tree, rounds, "check", f"{_CLAIMS} claims, check")]
    tree.add_new(0, _STAYING, name="kept")
    machine.run((*UNLOST, "mark"), tree.root, codes=(0, 4))
    machine.run((*UNLOST, "mark"), tree.root, codes=(0, 4))
    rows.append(_unchanged(machine, tree, rounds, "mark", f"{_STAYING:,} untracked files and claims, mark"))
    title = f"Unchanged, at {tree.files:,} files; unlost less `--version`"
    return table(title, ("case", "git status", "unlost", "ratio", "bar"), rows)


def _unchanged(machine: Machine, tree: Tree, rounds: int, command: str, what: str) -> list[str]:
    calls: dict[str, Callable[[], float]] = {
        "status": lambda: machine.run(STATUS, tree.root)[0],
        "unlost": lambda: machine.run((*UNLOST, command), tree.root, codes=(0, 4))[0],
        VERSION: lambda: machine.run((*UNLOST, "--version"), machine.folder)[0],
    }
    found = medians(rounds, calls)
    own = found["unlost"] - found[VERSION]
    return [what, f"{found['status']:.0f} ms", f"{own:.0f} ms", f"{own / found['status']:.2f}", "1.00"]


def _large(machine: Machine, rounds: int) -> str:
    """A new large binary, against copying it and taking its SHA-1."""
    tree = Tree.make(machine, "large", 20)
    machine.run((*UNLOST, "mark"), tree.root)
    large = tree.root / "large.bin"
    calls: dict[str, Callable[[], float]] = {
        "copy and SHA-1": lambda: _floor(large, machine.folder / "copy.bin"),
        "unlost mark": lambda: machine.run((*UNLOST, "mark"), tree.root)[0],
        VERSION: lambda: machine.run((*UNLOST, "--version"), machine.folder)[0],
    }
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(min(3, rounds)):
        _write_noise(large)
        for name, call in calls.items():
            taken[name].append(call())
    added = machine.run(("git", "add", "large.bin"), tree.root)[0]
    best = {name: min(values) for name, values in taken.items()}
    floor, own = best["copy and SHA-1"], best["unlost mark"] - best[VERSION]
    rows = [
        ["copy and SHA-1", f"{floor:.0f} ms", "1.00", ""],
        ["unlost mark", f"{own:.0f} ms", f"{own / floor:.2f}", "1.60"],
        ["git add", f"{added:.0f} ms", f"{added / floor:.2f}", ""],
    ]
    return table("A new binary of 500 MB, the best of three", ("way", "time", "ratio", "bar"), rows)


def _floor(source: Path, target: Path) -> float:
    started = time.perf_counter()
    shutil.copyfile(source, target)
    with source.open("rb") as file:
        hashlib.file_digest(file, "sha1")
    return (time.perf_counter() - started) * 1e3


def _write_noise(path: Path) -> None:
    """A new content that cannot be compressed; old pages are written out first, so that they disturb nobody."""
    piece = os.urandom(1 << 20)
    with path.open("wb") as file:
        for number in range(_LARGE >> 20):
            file.write(number.to_bytes(8, "big") + piece[8:])
    subprocess.run(("sync",), check=True)


def _size(folder: Path) -> int:
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*") if not path.is_symlink())
