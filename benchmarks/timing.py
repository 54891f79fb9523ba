"""Calls that take turns, their medians, and tables of them."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

UNLOST = (sys.executable, "-m", "unlost")
NO_VARIABLES: Mapping[str, str] = MappingProxyType({})
STATUS = ("git", "status", "--porcelain=v2", "-z", "-uall")


class Ended(NamedTuple):
    """How one process ended: milliseconds, and the most memory that it or one of its children had, in MB."""

    milliseconds: float
    megabytes: float
    out: bytes


@dataclass(frozen=True)
class Machine:
    """Where benchmarks run: a folder to throw away, with a home folder and a state home of its own."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of every process that is measured: no configuration of the person's."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "PYTHONPATH") if name in os.environ}
        return kept | {
            "HOME": str(self.folder),
            "UNLOST_HOME": str(self.folder / "state"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Bench",
            "GIT_AUTHOR_EMAIL": "bench@example.org",
            "GIT_COMMITTER_NAME": "Bench",
            "GIT_COMMITTER_EMAIL": "bench@example.org",
        }

    def run(
        self, argv: Sequence[str], folder: Path, codes: tuple[int, ...] = (0,), *, index: str | None = None
    ) -> tuple[float, bytes]:
        """(milliseconds, stdout) of one process; stops the benchmark when it ends otherwise than expected.

        `index` is another index file for git.
        """
        ended = self.watch(argv, folder, codes, {} if index is None else {"GIT_INDEX_FILE": index})
        return ended.milliseconds, ended.out

    def watch(
        self,
        argv: Sequence[str],
        folder: Path,
        codes: tuple[int, ...] = (0,),
        variables: Mapping[str, str] = NO_VARIABLES,
    ) -> Ended:
        """The same, with the memory that it took."""
        out = self.folder / "out"
        with out.open("wb") as stdout, (self.folder / "err").open("wb") as stderr:
            started = time.perf_counter()
            process = subprocess.Popen(
                argv,
                cwd=folder,
                env={**self.environment, **variables},
                stdout=stdout,
                stderr=stderr,
                stdin=subprocess.DEVNULL,
            )
            _, status, usage = os.wait4(process.pid, 0)
            taken = (time.perf_counter() - started) * 1e3
        # Popen must not wait for it again.
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in codes:
            complaint = (self.folder / "err").read_text(errors="replace")
            raise SystemExit(f"{' '.join(argv)}: exit {process.returncode}\n{complaint}")
        return Ended(taken, usage.ru_maxrss / 1024, out.read_bytes())

    def settle(self) -> None:
        """Settings for every case: a large file is captured, and new files that come and go make no claims."""
        settings = self.folder / ".config" / "unlost" / "config.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text('[snapshot]\nmax_file = "1GiB"\nscratch = ["new*/"]\n')


def medians(rounds: int, calls: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """The median of each call, in its own unit; the calls take turns, so that noise of the machine meets all."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            taken[name].append(call())
    return {name: statistics.median(values) for name, values in taken.items()}


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for a terminal and for Markdown alike: first column left, the others right."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = [_line(head, widths), "|" + "|".join("-" * (width + 2) for width in widths) + "|"]
    lines += [_line(row, widths) for row in rows]
    return "\n".join([f"\n{title}\n", *lines])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
    return "| " + " | ".join(padded) + " |"
