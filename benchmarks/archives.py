"""Capture and restore without the program around them, beside `git status`: what hooks and long runs pay."""

from __future__ import annotations

import itertools
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.timing import STATUS, Machine, medians, table
from benchmarks.trees import Tree
from unlost.host.clock import SystemClock
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.restore import nothing_kept, restore
from unlost.snapshot.wishes import kept_in, wishes_between

_HEAD = ("tree and case", "git status", "unlost", "ratio")
_CHANGES = (0, 1, 100)


def measure(machine: Machine, sizes: list[int], rounds: int) -> str:
    """One table of captures and restores in this process."""
    rows: list[list[str]] = []
    for files in sizes:
        tree = Tree.make(machine, f"archive{files}", files)
        place = machine.folder / f"place{files}"
        (place / "journals").mkdir(parents=True)
        with Archive(
            store_folder=str(place / "store"),
            workspace_folder=str(place / "workspace"),
            workspace="w-bench",
            root=str(tree.root),
            clock=SystemClock(),
        ) as archive:
            rows += _rows(machine, archive, tree, place / "journals", rounds)
    return table("Captures and restores in process, medians", _HEAD, rows)


def _rows(machine: Machine, archive: Archive, tree: Tree, journals: Path, rounds: int) -> list[list[str]]:
    stamps = itertools.count()

    def status() -> float:
        return machine.run(STATUS, tree.root)[0]

    def prepared(count: int) -> None:
        """From the first tree and a capture of it to so many changes: the calls before must not be paid for."""
        _restore(archive, archive.capture(kind="kept"), first, journals)
        archive.capture()
        tree.edit(count, next(stamps))

    def captured(count: int) -> Callable[[], float]:
        def call() -> float:
            prepared(count)
            return _milliseconds(archive.capture)

        return call

    def restored(count: int) -> Callable[[], float]:
        def call() -> float:
            prepared(count)
            now = archive.capture(kind="kept")
            return _milliseconds(lambda: _restore(archive, now, first, journals))

        return call

    first = archive.capture()
    calls: dict[str, Callable[[], float]] = {"status": status}
    calls |= {f"capture, {count} changed": captured(count) for count in _CHANGES if count <= tree.files}
    calls |= {f"restore {count}": restored(count) for count in _CHANGES[1:] if count <= tree.files}
    found = medians(rounds, calls)
    shutil.rmtree(tree.root)
    found["restore all, root gone"] = _milliseconds(lambda: _restore(archive, None, first, journals))
    base = found.pop("status")
    return [
        [f"{tree.files:,} files, {what}", f"{base:.1f} ms", f"{taken:.1f} ms", f"{taken / base:.2f}"]
        for what, taken in found.items()
    ]


def _restore(archive: Archive, now: Snapshot | None, then: Snapshot, journals: Path) -> None:
    placed = restore(
        archive,
        wishes_between(archive, now, then),
        root=archive.root,
        journals=os.fspath(journals),
        kept=kept_in(archive.entry, now) if now else nothing_kept,
    )
    if placed.failed:
        raise SystemExit(f"the restore failed: {placed.failed[0]}")


def _milliseconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1e3
