"""A supervisor of its own for a unit: a process in the background that no terminal's end reaches.

It is `unlost resume` in a session of its own, so whatever holds for a resume holds for it: killed anywhere, another one
goes on. What it says is appended to one bounded log for each workspace.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Final

from unlost.app.supervised import Supervisor
from unlost.engine.stream import UnitStream
from unlost.facts.records import dataclass
from unlost.host.background import BackgroundProcess, start_in_background
from unlost.unit.events import EVENTS, Resumed

_LOOK_EVERY: Final = 0.05
_LOG: Final = "supervisor.log"


@dataclass(frozen=True, kw_only=True)
class Background:
    """A supervisor that was started for a unit; `exit_code` is how it ended, None while it drives the unit."""

    unit: str
    workspace: str
    process: BackgroundProcess
    exit_code: int | None = None


def log_of(folder: str) -> str:
    """The log of the background supervisors of a workspace; `folder` is the workspace's in the state home."""
    return os.path.join(folder, _LOG)


def program() -> tuple[str, ...]:
    """The argv that starts this very program, whatever stands in the folder that it is started in."""
    return (sys.executable, "-P", "-m", "unlost")


def start_supervisor(
    supervisor: Supervisor, unit: str, environment: Mapping[str, str], options: tuple[str, ...] = ()
) -> Background:
    """Let a supervisor in the background carry a unit on, and return as soon as it drives the unit or has ended.

    `options` are those of `unlost resume`. Raises TryLater when the workspace is driven already, NotStarted.
    """
    with supervisor.driving():
        before = UnitStream(supervisor.ledger, unit).state.sequence
    workspace, log = supervisor.place.workspace, log_of(supervisor.place.folder)
    argv = (*program(), "--workspace", workspace, "resume", unit, "--log", log, *options)
    process = start_in_background(argv, environment, log)
    while (code := process.exit_code()) is None and not _is_resumed(supervisor, unit, before):
        supervisor.clock.wait(_LOOK_EVERY)
    return Background(unit=unit, workspace=workspace, process=process, exit_code=code)


def _is_resumed(supervisor: Supervisor, unit: str, before: int) -> bool:
    events = supervisor.ledger.read(unit, after=before)
    return any(isinstance(EVENTS.payload(event), Resumed) for event in events)
