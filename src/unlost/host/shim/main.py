"""The life of a shim: lock, settle the past, part the keeper, serve, write the ending, let go.

stdin   commands of the supervisor: the spec, then go, write, stop, hurry
stdout  frames to the supervisor
stderr  a file of the attempt, for what no one expected
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Final

from unlost.host.shim.commands import Commands, SupervisorLost
from unlost.host.shim.facts import Ending, Spec, as_json, spec_from
from unlost.host.shim.keeper import part_keeper
from unlost.host.shim.records import (
    read_ending,
    read_holder,
    recorded_processes,
    release_lock,
    take_lock_or_name,
    write_ending,
)
from unlost.host.shim.relay import Relay
from unlost.host.shim.sweep import sweep
from unlost.host.shim.worker import Worker, hear_signals

BUSY: Final = 75
_MANY: Final = 1 << 16


def main() -> int:
    """Serve one attempt; the exit code says little, the ending says all."""
    with contextlib.suppress(PermissionError):
        # Fails where we lead a group already: then the terminal's signals do not reach us anyway.
        os.setsid()
    os.chdir("/")
    # What a careless parent of unlost left open must reach neither us nor the agent.
    os.closerange(3, min(os.sysconf("SC_OPEN_MAX"), _MANY))
    commands, relay = Commands(0), Relay(1)
    try:
        spec = spec_from(commands.first())
    except SupervisorLost:
        return 1
    lock, holder = take_lock_or_name(spec.folder)
    if lock is None:
        relay.tell("busy", holder=as_json(holder))
        return BUSY
    left = settle_before(spec)
    if left:
        relay.tell("stuck", left=left)
        return BUSY
    part_keeper(spec)
    ending = _serve(spec, commands, relay)
    release_lock(lock)
    relay.tell("ended", ending=as_json(ending))
    relay.finish()
    return 0


def settle_before(spec: Spec) -> list[int]:
    """Under the lock, before our own agent may start: end what a killed shim left; return what cannot be ended."""
    holder = read_holder(spec.folder)
    if holder is None or read_ending(spec.folder, holder.attempt) is not None:
        return []
    recorded = recorded_processes(spec.folder, holder.attempt)
    swept = sweep(holder.attempt, recorded, grace=spec.patience.terminate)
    if not swept.left:
        ending = Ending(holder.attempt, by="sweep", reason="shim_lost", struck=len(swept.struck))
        # The folder of an attempt may have been tidied away; that it is over is true without a file.
        with contextlib.suppress(FileNotFoundError):
            write_ending(spec.folder, ending)
    return sorted(swept.left)


def _serve(spec: Spec, commands: Commands, relay: Relay) -> Ending:
    """Run the worker, and put its ending on disk before the lock is let go."""
    wake_read, wake_write = os.pipe()
    for end in (wake_read, wake_write, 0, 1):
        os.set_blocking(end, False)
    worker = Worker(spec, commands, relay, wake_read)
    hear_signals(worker, wake_write)
    ending = worker.serve()
    try:
        write_ending(spec.folder, ending)
    except OSError as error:
        # The supervisor hears it on the relay and writes it, if it lives.
        print(f"the ending is not on disk: {error}", file=sys.stderr)  # noqa: T201  (stderr is a file of the attempt)
    return ending
