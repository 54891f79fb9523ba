"""Settle attempts whose supervisor died: nothing of them runs, and how they ended is on disk.

Processes are found by what shim and supervisor recorded, and by the mark in their environment; never by name.
"""

from __future__ import annotations

import os
import signal
from typing import Final

from unlost.attempt.end import attempt_end, read_spent
from unlost.attempt.facts import AttemptEnd
from unlost.attempt.prepare import folders
from unlost.attempt.writer import held_by, held_by_leftovers
from unlost.attempt.writer import unsettled as unsettled  # noqa: PLC0414  (the explicit form of a re-export)
from unlost.host.clock import Clock
from unlost.host.shim.facts import Ending, Holder
from unlost.host.shim.identity import is_alive, signal_identity
from unlost.host.shim.records import (
    living_holder,
    read_ending,
    read_holder,
    recorded_processes,
    release_lock,
    take_lock,
    write_ending,
)
from unlost.host.shim.sweep import sweep

PATIENCE: Final = 60.0
"""Seconds for a shim's own ladder after its supervisor died: longer than the default grace and both signals."""

_BETWEEN_SIGNALS: Final = 5.0
_ASK_EVERY: Final = 0.02


def settle(workspace_folder: str, attempt: str, clock: Clock, *, patience: float = PATIENCE) -> AttemptEnd:
    """Make sure that nothing of an attempt runs and that its ending is written; return how it ended.

    A shim whose supervisor is dead has `patience` seconds for its own ladder, then it is stopped.
    Raises TryLater when a living supervisor drives the workspace, when the holder of the lock cannot be named, or
    when a process cannot be ended; nobody is touched then.
    """
    ending, holder = read_ending(workspace_folder, attempt), read_holder(workspace_folder)
    if ending is None or (holder and holder.attempt == attempt):
        # The last holder may have written its ending and not let go of the lock yet.
        ending = _settle(workspace_folder, attempt, clock, patience)
    return attempt_end(workspace_folder, ending, read_spent(workspace_folder, attempt))


def _settle(workspace_folder: str, attempt: str, clock: Clock, patience: float) -> Ending:
    os.makedirs(folders(workspace_folder, attempt).attempt, mode=0o700, exist_ok=True)
    lock = _lock_or_stop_orphan(workspace_folder, clock, patience)
    try:
        # It may have been written while we waited for the lock.
        ending = read_ending(workspace_folder, attempt)
        if ending is None:
            recorded = recorded_processes(workspace_folder, attempt)
            swept = sweep(attempt, recorded)
            if swept.left:
                raise held_by_leftovers(sorted(swept.left))
            reason = "shim_lost" if recorded else "not_started"
            ending = Ending(attempt, by="sweep", reason=reason, struck=len(swept.struck))
            write_ending(workspace_folder, ending)
        return ending
    finally:
        release_lock(lock)


def _lock_or_stop_orphan(workspace_folder: str, clock: Clock, patience: float) -> int:
    """Take the writer lock; a shim that nobody supervises any more is stopped when its own ladder takes too long."""
    begun, signalled, number = clock.monotonic(), -_BETWEEN_SIGNALS, signal.SIGTERM
    while (lock := take_lock(workspace_folder)) is None:
        holder = read_holder(workspace_folder)
        if _is_supervised(holder):
            raise held_by(holder)
        now = clock.monotonic()
        if now - begun > patience and now - signalled > _BETWEEN_SIGNALS:
            if holder is None or not signal_identity(holder.shim, number):
                raise held_by(living_holder(workspace_folder))
            signalled, number = now, signal.SIGKILL
        clock.wait(_ASK_EVERY)
    return lock


def _is_supervised(holder: Holder | None) -> bool:
    """Whether another process, alive, drives the holder: then it is no orphan."""
    return (
        holder is not None
        and holder.supervisor is not None
        and holder.supervisor.pid != os.getpid()
        and is_alive(holder.supervisor)
        and is_alive(holder.shim)
    )
