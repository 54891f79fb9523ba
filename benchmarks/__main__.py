"""`python -m benchmarks`: run the benchmarks and print their tables."""

from __future__ import annotations

import argparse
import platform
import subprocess
import tempfile
from pathlib import Path

from benchmarks import archives, captures, starting
from benchmarks.timing import Machine

_ALL = ("starting", "archives", "captures")


def main() -> None:
    """Measure what was asked for."""
    options = _options()
    git = subprocess.run(("git", "--version"), capture_output=True, text=True, check=True).stdout.strip()
    print(f"{platform.system()} {platform.release()}, Python {platform.python_version()}, {git}")
    with tempfile.TemporaryDirectory(prefix="unlost-bench-", dir=options.folder) as folder:
        machine = Machine(Path(folder))
        if "starting" in options.only:
            print(starting.measure(machine, options.rounds))
        if "archives" in options.only:
            print(archives.measure(machine, options.sizes, options.rounds))
        if "captures" in options.only:
            print(captures.measure(machine, options.sizes, options.rounds))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--sizes", type=_sizes, default=[250, 5000], help="files of the trees, such as 250,30000")
    parser.add_argument("--rounds", type=int, default=9, help="how often each call is made (default: 9)")
    parser.add_argument("--only", nargs="+", default=_ALL, choices=_ALL)
    parser.add_argument("--folder", help="where the trees are made (default: the folder for temporary files)")
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    return [int(size) for size in text.split(",")]


if __name__ == "__main__":
    main()
