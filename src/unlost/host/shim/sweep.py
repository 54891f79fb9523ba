"""Find and stop what a dead attempt left running: recorded, marked in its environment, or below one of those."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from unlost.host.shim.facts import MARK, Identity, Process
from unlost.host.shim.identity import is_alive
from unlost.host.shim.machine import environment_of, every_pid, look_at, newest_pid, signal_exactly

Found = dict[int, int]
"""{pid: start} of live processes."""


class Swept(NamedTuple):
    """What a sweep stopped, and what even SIGKILL could not end."""

    struck: Found
    left: Found


def process_table() -> dict[int, Process]:
    """All processes that we may see, by pid."""
    return {pid: process for pid in every_pid() if (process := look_at(pid))}


def below(roots: Iterable[int], table: Mapping[int, Process]) -> set[int]:
    """The pids under any of `roots` by parent links, the roots themselves left out."""
    children: dict[int, list[int]] = {}
    for pid, process in table.items():
        children.setdefault(process.parent, []).append(pid)
    found: set[int] = set()
    todo = list(roots)
    while todo:
        fresh = [child for child in children.get(todo.pop(), ()) if child not in found]
        found.update(fresh)
        todo.extend(fresh)
    return found - set(roots)


def living(pids: Iterable[int], table: Mapping[int, Process]) -> Found:
    """Those of `pids` that live, with their starts."""
    return {pid: table[pid].start for pid in pids if pid in table and not table[pid].ended}


def strays(attempt: str, recorded: Iterable[Identity] = ()) -> Found:
    """The live processes of an attempt, wherever they hang in the tree.

    We and our ancestors are left out: a person may type `unlost resume` in a shell that bears the mark.
    """
    table = process_table()
    mark = f"{MARK}={attempt}".encode()
    own = _own_line(table)
    roots = {known.pid for known in recorded if is_alive(known)}
    roots |= {pid for pid in table if mark in environment_of(pid)}
    roots -= own
    return living(roots | (below(roots, table) - own), table)


def strike(found: Found) -> None:
    """Freeze all, then kill all, so that none forks while its siblings die."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid, start in found.items():
            signal_exactly(pid, start, number)


def sweep(attempt: str, recorded: Iterable[Identity] = (), *, grace: float = 1.0, patience: float = 10.0) -> Swept:
    """Stop every stray of an attempt: SIGTERM, after `grace` seconds SIGKILL. The caller holds the writer lock.

    One empty scan proves nothing: a process that forks and exits hops past a reader of the table, and one that is in
    exec shows no environment. Two empty scans without a fork meanwhile do, or ten in a row.
    """
    recorded = tuple(recorded)
    struck: Found = {}
    empty_scans, begun = 0, time.monotonic()
    while True:
        newest = newest_pid()
        found = strays(attempt, recorded)
        is_calm = newest is not None and newest == newest_pid()
        empty_scans = 0 if found else empty_scans + 1
        waited = time.monotonic() - begun
        if (empty_scans >= 2 and is_calm) or empty_scans >= 10 or waited > grace + patience:
            return Swept(struck, found)
        if waited >= grace:
            strike(found)
        for pid in found.keys() - struck.keys():
            signal_exactly(pid, found[pid], signal.SIGTERM)
        struck |= found
        time.sleep(0.02)


def _own_line(table: Mapping[int, Process]) -> set[int]:
    line: set[int] = set()
    pid = os.getpid()
    while pid and pid not in line:
        line.add(pid)
        pid = table[pid].parent if pid in table else 0
    return line
