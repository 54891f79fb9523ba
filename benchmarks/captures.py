"""`mark` and `check` beside `git status`, on trees of several sizes."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path

from benchmarks.timing import UNLOST, Machine, medians, table
from benchmarks.trees import edit, make_repository

STATUS = ("git", "status", "--porcelain=v2", "-z", "-uall")
_HEAD = ("tree and change", "git status", "unlost", "ratio", "its own part", "ratio")
_CHANGES = (0, 1, 100)


def measure(machine: Machine, sizes: list[int], rounds: int) -> str:
    """One table: whole processes in milliseconds, and what unlost itself says it took (`ms`)."""
    rows: list[list[str]] = []
    for files in sizes:
        root = make_repository(machine, f"tree{files}", files)
        first, _ = machine.run((*UNLOST, "mark", "--json"), root)
        rows.append([f"{files} files, first mark", "", f"{first:.0f} ms", "", "", ""])
        rows += [_case(machine, root, files, count, rounds) for count in _CHANGES if count <= files]
        rows.append(_case(machine, root, files, 0, rounds, command="check"))
    return table("Captures, medians; the trees are synthetic", _HEAD, rows)


def _case(machine: Machine, root: Path, files: int, count: int, rounds: int, command: str = "mark") -> list[str]:
    stamps = itertools.count()
    own: list[float] = []

    def unlost() -> float:
        taken, out = machine.run((*UNLOST, command, "--json"), root, codes=(0, 4))
        own.append(float(json.loads(out)["ms"]))
        return taken

    def changed(call: Callable[[], float]) -> Callable[[], float]:
        def after_an_edit() -> float:
            edit(root, files, count, next(stamps)) if count else None
            return call()

        return after_an_edit

    calls = {
        "status": changed(lambda: machine.run(STATUS, root)[0]),
        "unlost": changed(unlost),
        "own": lambda: own[-1],
    }
    found = medians(rounds, calls)
    what = f"{files} files, {command}, {count} changed" if count else f"{files} files, {command}, unchanged"
    status = found["status"]
    ratios = [f"{found[name] / status:.2f}" for name in ("unlost", "own")]
    return [what, f"{status:.1f} ms", f"{found['unlost']:.1f} ms", ratios[0], f"{found['own']:.1f} ms", ratios[1]]
