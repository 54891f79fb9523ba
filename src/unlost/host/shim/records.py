"""The small durable files of a workspace's folder, and its writer lock.

writer.lock              flock, held from before the agent starts until nothing below the shim lives
writer.json              the Holder; it may be one holder behind right after the lock was won
attempts/ID/record.json  the identities of shim and agent, written before the agent may start
attempts/ID/ending.json  the Ending
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from typing import Any

from unlost.host.shim.facts import Ending, Holder, Identity, as_json, ending_from, holder_from, identity_from
from unlost.host.shim.identity import is_alive

_HOLDER_LAG = 0.3
_LONGEST_START = 10.0
# Far above any of these files; an agent without a sandbox could put a giant in their place.
_LIMIT = 1 << 20


def attempt_folder(folder: str, attempt: str) -> str:
    """The folder of one attempt below its workspace's folder."""
    return os.path.join(folder, "attempts", attempt)


def take_lock(folder: str) -> int | None:
    """The descriptor of the writer lock, or None when another holds it. It passes through no exec."""
    lock = os.open(os.path.join(folder, "writer.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def take_lock_or_name(folder: str) -> tuple[int | None, Holder | None]:
    """The descriptor of the writer lock, or who holds it and lives.

    Whoever has just won names itself a moment later, and whoever has just died lets go a moment later: both are waited
    for. Neither is returned only when that takes ten seconds.
    """
    until = time.monotonic() + _LONGEST_START
    while (lock := take_lock(folder)) is None:
        holder = read_holder(folder)
        if holder and is_alive(holder.shim):
            return None, holder
        if time.monotonic() > until:
            return None, None
        time.sleep(0.01)
    return lock, None


def release_lock(lock: int) -> None:
    """Let go of the writer lock for every process that shares this descriptor (the keeper does)."""
    fcntl.flock(lock, fcntl.LOCK_UN)
    os.close(lock)


def read_holder(folder: str) -> Holder | None:
    """Who took the writer lock last; whether it still holds it is another question."""
    return holder_from(_read_json(os.path.join(folder, "writer.json")))


def write_holder(folder: str, holder: Holder) -> None:
    """Say who holds the lock; only the one that does may."""
    _write_json(os.path.join(folder, "writer.json"), as_json(holder) or {})


def living_holder(folder: str) -> Holder | None:
    """Who holds a lock that was found held; None when that cannot be named.

    The file may still name the holder before, so a living shim is waited for, for a moment.
    """
    until = time.monotonic() + _HOLDER_LAG
    while True:
        holder = read_holder(folder)
        if holder and is_alive(holder.shim):
            return holder
        if time.monotonic() > until:
            return None
        time.sleep(0.01)


def read_ending(folder: str, attempt: str) -> Ending | None:
    """How an attempt ended, or None while that is not settled."""
    ending = ending_from(_read_json(os.path.join(attempt_folder(folder, attempt), "ending.json")))
    return ending if ending and ending.attempt == attempt else None


def write_ending(folder: str, ending: Ending) -> None:
    """Settle an attempt; the caller holds the writer lock, or knows that no shim of it ever had it."""
    path = os.path.join(attempt_folder(folder, ending.attempt), "ending.json")
    _write_json(path, as_json(ending) or {})


def write_record(folder: str, attempt: str, *, shim: Identity, agent: Identity | None) -> None:
    """Put on disk which processes an attempt has."""
    path = os.path.join(attempt_folder(folder, attempt), "record.json")
    _write_json(path, {"shim": as_json(shim), "agent": as_json(agent)})


def recorded_processes(folder: str, attempt: str) -> tuple[Identity, ...]:
    """Every process that the record or the holder file names for this attempt."""
    record = _read_json(os.path.join(attempt_folder(folder, attempt), "record.json"))
    named = [identity_from(record.get(role)) for role in ("shim", "agent")] if isinstance(record, dict) else []
    holder = read_holder(folder)
    if holder and holder.attempt == attempt:
        named += [holder.shim, holder.agent]
    return tuple(identity for identity in named if identity)


def _write_json(path: str, value: dict[str, Any]) -> None:
    """Replace a file as a whole; it is on disk when this returns."""
    temporary = f"{path}.{os.getpid()}.new"
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with open(descriptor, "wb") as file:
            file.write(json.dumps(value).encode())
            file.flush()
            os.fsync(descriptor)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    parent = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(parent)
    finally:
        os.close(parent)


def _read_json(path: str) -> Any:
    """The value of a file; None when there is none, or none that can be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            return json.loads(file.read(_LIMIT))
    except (OSError, ValueError):
        return None
