"""How long the program takes before it does anything."""

from __future__ import annotations

import sys

from benchmarks.timing import UNLOST, Machine, medians, table


def measure(machine: Machine, rounds: int) -> str:
    """`unlost --version` beside an interpreter that does nothing, and one that imports click."""
    commands = {
        "python -c pass": (sys.executable, "-c", "pass"),
        "python -c 'import click'": (sys.executable, "-c", "import click"),
        "unlost --version": (*UNLOST, "--version"),
        "unlost --help": (*UNLOST, "--help"),
    }
    calls = {name: (lambda argv=argv: machine.run(argv, machine.folder)[0]) for name, argv in commands.items()}
    found = medians(rounds, calls)
    click = found["python -c 'import click'"]
    rows = [[name, f"{taken:.1f} ms", f"{taken / click:.2f}"] for name, taken in found.items()]
    return table("Start-up, medians; ratio to an interpreter that imports click", ("command", "time", "ratio"), rows)
