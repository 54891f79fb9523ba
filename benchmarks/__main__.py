"""`python -m benchmarks`: run the benchmarks and print their tables."""

from __future__ import annotations

import argparse
import platform
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import archives, captures, starting, statuses
from benchmarks.timing import Machine

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
_ALL = ("starting", "statuses", "archives", "captures")


def main() -> None:
    """Measure what was asked for."""
    options = _options()
    told = [_machine_line()]
    print(told[0])
    with tempfile.TemporaryDirectory(prefix="unlost-bench-", dir=options.folder) as folder:
        machine = Machine(Path(folder))
        if "starting" in options.only:
            told.append(starting.measure(machine, options.rounds))
        if "statuses" in options.only:
            told.append(statuses.measure(machine, options.rounds))
        if "archives" in options.only:
            told.append(archives.measure(machine, options.sizes, options.rounds))
        if "captures" in options.only:
            told.append(captures.measure(machine, options.sizes, options.rounds))
    for table in told[1:]:
        print(table)
    if options.write:
        PAGE.write_text(_page(told), encoding="utf-8")


def _machine_line() -> str:
    git = subprocess.run(("git", "--version"), capture_output=True, text=True, check=True).stdout.strip()
    return f"{platform.system()} {platform.release()}, Python {platform.python_version()}, {git}"


def _page(told: list[str]) -> str:
    """docs/benchmarks.md: the tables, with commit and date."""
    commit = subprocess.run(("git", "rev-parse", "HEAD"), cwd=ROOT, capture_output=True, text=True, check=False).stdout
    head = [
        "# Benchmarks",
        "",
        "Written by `python -m benchmarks --write`. Ratios are against `git status --porcelain=v2 -uall` on the",
        "same tree in the same run, medians of many; *its own part* is what `--json` reports as `ms`, without",
        "the start of the process.",
        "",
        f"Commit {commit.strip() or 'unknown'}, {datetime.now(UTC).date().isoformat()}. {told[0]}.",
        "",
    ]
    return "\n".join([*head, *told[1:]]).rstrip("\n") + "\n"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--sizes", type=_sizes, default=[250, 5000], help="files of the trees, such as 250,30000")
    parser.add_argument("--rounds", type=int, default=9, help="how often each call is made (default: 9)")
    parser.add_argument("--only", nargs="+", default=_ALL, choices=_ALL)
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md as well")
    parser.add_argument("--folder", help="where the trees are made (default: the folder for temporary files)")
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    return [int(size) for size in text.split(",")]


if __name__ == "__main__":
    main()
