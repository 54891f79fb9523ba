"""`status` beside a long history: 10,000 events of one unit on the record."""

from __future__ import annotations

import subprocess
from pathlib import Path

from benchmarks.timing import UNLOST, Machine, medians, table
from unlost.host.clock import SystemClock
from unlost.ledger.registry import open_ledger
from unlost.unit.events import EVENTS, Blocked, Resumed
from unlost.unit.fold import fold

EVENTS_ON_RECORD = 10_000

_PLAN = """\
title = "A unit with a long history"
goal = "Wait."
[agent]
use = "command"
command = ["/bin/sh", "-c", "echo x >>in.txt; echo x >>out.txt"]
[scope]
paths = ["in.txt"]
[[task]]
id = "only"
text = "Wait."
"""


def measure(machine: Machine, rounds: int) -> str:
    """`unlost status` with 10,000 events, beside `--version`."""
    repository = machine.folder / "long-history"
    _blocked_unit(machine, repository)
    _lengthen(machine)
    machine.run((*UNLOST, "status"), repository)
    calls = {
        "unlost --version": lambda: machine.run((*UNLOST, "--version"), repository)[0],
        "unlost status": lambda: machine.run((*UNLOST, "status"), repository)[0],
        "unlost status --json": lambda: machine.run((*UNLOST, "status", "--json"), repository)[0],
    }
    found = medians(rounds, calls)
    version = found["unlost --version"]
    rows = [[name, f"{taken:.1f} ms", f"{taken / version:.2f}"] for name, taken in found.items()]
    title = f"Status with {EVENTS_ON_RECORD:,} events on record, medians; ratio to --version"
    return table(title, ("command", "time", "ratio"), rows)


def _blocked_unit(machine: Machine, repository: Path) -> None:
    """A repository with a unit that waits: its one attempt wrote outside the scope."""
    repository.mkdir()
    for command in (("git", "init", "-q"), ("git", "commit", "-q", "--allow-empty", "-m", "first")):
        subprocess.run(command, cwd=repository, env=machine.environment, check=True, capture_output=True)
    plan = machine.folder / "long.toml"
    plan.write_text(_PLAN)
    machine.run((*UNLOST, "run", str(plan)), repository, codes=(3,))


def _lengthen(machine: Machine) -> None:
    """Add resumes and blocks to the unit's record until it has the wanted length."""
    ledger = open_ledger(f"sqlite:///{machine.folder / 'state' / 'ledger.db'}", SystemClock())
    try:
        (unit,) = ledger.streams("u-")
        state = fold(ledger.read(unit))
        if state is None:
            raise SystemExit("the unit left nothing on the record")
        terms = state.terms
        for number in range(state.sequence, EVENTS_ON_RECORD, 2):
            resumed = Resumed(by="bench", epoch=state.epoch, terms=terms, restore=False)
            blocked = Blocked(reason="out_of_scope", task="only", paths=(b"out.txt",), count=1)
            ledger.append(
                unit,
                [
                    EVENTS.new(resumed, key=f"bench resumed {number}"),
                    EVENTS.new(blocked, key=f"bench blocked {number}"),
                ],
            )
    finally:
        ledger.close()
