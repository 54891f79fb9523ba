"""Units in the background, for tests: agents that wait for a file, and conditions to wait for."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kit.program import Program

PATIENCE = 240.0


def held_until(file: Path) -> str:
    """Shell lines of an attempt that says it began (FILE.began) and goes on when FILE is there."""
    return f'    : >"{file}.began"\n    while [ ! -e "{file}" ]; do sleep 0.05; done'


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.05)


def longer_than_looking(program: Program, *, at_least: int) -> int:
    """Whole seconds that are enough to look at a unit some twenty times, on this machine as it is now.

    A wait of a test is slept out in the end, so it is short; on a busy machine it would be over before it was seen.
    """
    begun = time.monotonic()
    program("status", code=None)
    return max(at_least, math.ceil(20 * (time.monotonic() - begun)))


def unit_of(program: Program, unit: str) -> Mapping[str, Any]:
    """A unit as `status` shows it."""
    found: Mapping[str, Any] = program("status", unit, "--json").json
    return found


def until_phase(program: Program, unit: str, *phases: str) -> None:
    """Wait until a unit is in one of these phases."""
    until(lambda: unit_of(program, unit)["phase"] in phases, f"{unit} in {phases}")


def until_left(program: Program, unit: str, *phases: str) -> None:
    """Wait until a unit is in one of these phases and its supervisor in the background is gone, too."""
    until_phase(program, unit, *phases)
    until(lambda: not _supervisors_of(unit), f"nobody drives {unit}")


def supervisor_of(unit: str) -> int:
    """The process that drives a unit in the background: its command line says so."""
    found = _supervisors_of(unit)
    assert found, f"nobody drives {unit}"
    return found[0]


def _supervisors_of(unit: str) -> list[int]:
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"--log" in words and unit.encode() in words:
            found.append(int(entry.name))
    return found


def log_of(unit: Mapping[str, Any]) -> str:
    """What the background said in the unit's workspace."""
    return (Path(os.environ["UNLOST_HOME"]) / "workspaces" / str(unit["workspace"]) / "supervisor.log").read_text()


def lines_of(text: str) -> list[Mapping[str, Any]]:
    """The units that `resume --all --json` tells."""
    units: list[Mapping[str, Any]] = json.loads(text)["units"]
    return units
