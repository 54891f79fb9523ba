"""Is that still the same process? By pid, start, boot and pid namespace; never by name."""

from __future__ import annotations

import os

from unlost.host.shim.facts import Identity
from unlost.host.shim.machine import boot_name, look_at, pid_space, signal_exactly


def identity_of(pid: int) -> Identity | None:
    """The identity of a live process, or None."""
    process = look_at(pid)
    if process is None or process.ended:
        return None
    return Identity(pid, process.start, boot_name(), pid_space())


def own_identity() -> Identity:
    """Our own identity; start and boot are empty where the system hides them, so that nobody takes us for alive."""
    return identity_of(os.getpid()) or Identity(os.getpid(), -1, "", pid_space())


def is_alive(known: Identity | None) -> bool:
    """Whether exactly the recorded process lives."""
    if known is None or known.space != pid_space() or not is_same_boot(boot_name(), known.boot):
        return False
    process = look_at(known.pid)
    return process is not None and not process.ended and process.start == known.start


def is_same_boot(ours: str, theirs: str) -> bool:
    """Whether two boot names mean one boot; an unknown one means none. A boot time moves when the clock is set."""
    if ours.startswith("btime:") and theirs.startswith("btime:"):
        try:
            return abs(int(ours[6:]) - int(theirs[6:])) <= 2
        except ValueError:
            return False
    return bool(ours) and ours == theirs


def signal_identity(known: Identity, number: int) -> bool:
    """Signal exactly the recorded process; tell whether it was there."""
    return is_alive(known) and signal_exactly(known.pid, known.start, number)
