"""`python -m benchmarks`: run the benchmarks and print their tables."""

from __future__ import annotations

import argparse
import platform
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import archives, heavy, peers, places, starting, statuses
from benchmarks.timing import Machine
from benchmarks.trees import Tree

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
_ALL = ("starting", "statuses", "archives", "peers", "places")
_FULL = [(250, 12), (30_000, 20), (27_000, 2), (100_000, 12)]
_QUICK = [(250, 12), (5_000, 12)]
"""(files, files a folder) of the trees."""


def main() -> None:
    """Measure what was asked for."""
    options = _options()
    told = [_machine_line()]
    print(told[0], flush=True)
    with tempfile.TemporaryDirectory(prefix="unlost-bench-", dir=options.folder) as folder:
        machine = Machine(Path(folder))
        machine.settle()
        for text in _tables(machine, options):
            print(text, flush=True)
            told.append(text)
    if options.write:
        PAGE.write_text(_page(told), encoding="utf-8")


def _tables(machine: Machine, options: argparse.Namespace) -> Iterator[str]:
    shapes, rounds = (_QUICK, 3) if options.quick else (_FULL, 9)
    rounds = options.rounds or rounds
    if "starting" in options.only:
        yield starting.measure(machine, rounds)
    if "statuses" in options.only:
        yield statuses.measure(machine, rounds)
    if "archives" in options.only:
        yield archives.measure(machine, [files for files, _ in shapes[:2]], rounds)
    if "places" in options.only:
        yield places.measure(machine, Tree.make(machine, "places", shapes[1][0]), rounds)
    if "peers" in options.only:
        yield from _trees(machine, shapes, rounds, snapshots=10 if options.quick else 100)


def _trees(machine: Machine, shapes: list[tuple[int, int]], rounds: int, *, snapshots: int) -> Iterator[str]:
    """Everything that needs a large tree; each tree is made once."""
    trees = [Tree.make(machine, f"tree{files}-{in_folder}", files, in_folder=in_folder) for files, in_folder in shapes]
    text, known = peers.measure(machine, trees, rounds)
    yield text
    yield heavy.memory(machine, trees[-1])
    yield heavy.measure(machine, trees[1], known[trees[1].root.name], rounds, snapshots=snapshots)


def _machine_line() -> str:
    git = subprocess.run(("git", "--version"), capture_output=True, text=True, check=True).stdout.strip()
    return f"{platform.system()} {platform.release()}, Python {platform.python_version()}, {git}"


def _page(told: list[str]) -> str:
    """docs/benchmarks.md: the tables, with commit and date."""
    commit = subprocess.run(("git", "rev-parse", "HEAD"), cwd=ROOT, capture_output=True, text=True, check=False).stdout
    head = [
        "# Benchmarks",
        "",
        "Written by `python -m benchmarks --write` (`make bench` prints the same). Everything in a table was measured",
        "in one run, in turns; times are medians. What unlost takes is told less the time of `unlost --version`, which",
        "is the start of the process; ratios are to `git status --porcelain=v2 -uall` on the same tree.",
        "",
        f"Commit {commit.strip() or 'unknown'}, {datetime.now(UTC).date().isoformat()}. {told[0]}.",
        "",
    ]
    return "\n".join([*head, *told[1:]]).rstrip("\n") + "\n"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small trees and few rounds: a minute in all")
    parser.add_argument("--rounds", type=int, help="how often each call is made (default: 9, or 3)")
    parser.add_argument("--only", nargs="+", default=_ALL, choices=_ALL)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md as well")
    parser.add_argument("--folder", help="where the trees are made (default: the folder for temporary files)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
