"""Who writes in a workspace now."""

from __future__ import annotations

import os

from unlost.facts.errors import TryLater
from unlost.facts.records import dataclass
from unlost.host.shim.facts import Holder
from unlost.host.shim.identity import is_alive
from unlost.host.shim.records import read_ending, read_holder


@dataclass(frozen=True, kw_only=True)
class Writer:
    """The attempt that holds a workspace's writer lock, and the pid of its shim."""

    attempt: str
    unit: str
    task: str
    pid: int


def current_writer(workspace_folder: str) -> Writer | None:
    """The attempt that runs in this workspace, or None. It takes no lock, so it disturbs nobody's start."""
    holder = read_holder(workspace_folder)
    if holder is None or not is_alive(holder.shim):
        return None
    return Writer(attempt=holder.attempt, unit=holder.unit, task=holder.task, pid=holder.shim.pid)


def unsettled(workspace_folder: str) -> tuple[str, ...]:
    """The attempts that began and have no ending yet; one may be running."""
    try:
        names = sorted(os.listdir(os.path.join(workspace_folder, "attempts")))
    except FileNotFoundError:
        return ()
    return tuple(name for name in names if read_ending(workspace_folder, name) is None)


def held_by(holder: Holder | None) -> TryLater:
    """The error of a command that needs the workspace; it names the holder where that can be known."""
    if holder is None:
        return TryLater("another attempt is just taking this workspace; nothing was started", hint="unlost status")
    return TryLater(
        f"unit {holder.unit} works in this workspace (task {holder.task}, attempt {holder.attempt}, "
        f"process {holder.shim.pid}); nothing was started",
        hint=f"unlost status {holder.unit}",
    )


def held_by_leftovers(pids: list[int]) -> TryLater:
    """The error when processes of an attempt that is over cannot be ended: they may still write."""
    named = ", ".join(str(pid) for pid in pids)
    return TryLater(f"processes of an earlier attempt cannot be ended (pid {named}); nothing was started")
