"""Everything that runs below this process."""

from __future__ import annotations

import os
import time
from typing import Final, NamedTuple

from unlost.host.shim.machine import adopt_orphans
from unlost.host.shim.sweep import Found, below, living, process_table, strays, strike

_LOOK_EVERY: Final = 0.05


class Reaped(NamedTuple):
    """The children that have ended, {pid: exit code}, and whether nothing is left below."""

    codes: dict[int, int]
    is_empty: bool


class Tree:
    """The processes below this one. With a subreaper "none is left" is exact: `waitpid` says that there is no child.

    Without one, a daemon can be seen only before it leaves its parent; so every process ever seen below is
    remembered, and what bears the attempt's mark is added.
    """

    def __init__(self, attempt: str, *, adopts: bool = True) -> None:
        self._attempt = attempt
        self._adopts = adopts and adopt_orphans()
        self._seen: Found = {}
        self._looked = 0.0

    def look(self) -> None:
        """Without a subreaper: see daemons before they leave. Call it often; it looks 20 times a second at most."""
        if not self._adopts and time.monotonic() - self._looked > _LOOK_EVERY:
            self.members()
            self._looked = time.monotonic()

    def members(self) -> Found:
        """What lives below us now."""
        table = process_table()
        found = living(below({os.getpid()}, table), table)
        if self._adopts:
            return found
        found |= strays(self._attempt)
        found |= {pid: start for pid, start in living(self._seen, table).items() if self._seen[pid] == start}
        found |= living(below(found, table), table)
        found.pop(os.getpid(), None)
        self._seen |= found
        return found

    def children_of(self, pid: int) -> Found:
        """What lives directly below one process."""
        table = process_table()
        return living({child for child, process in table.items() if process.parent == pid}, table)

    def reap(self) -> Reaped:
        """Collect the children that have ended."""
        codes: dict[int, int] = {}
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return Reaped(codes, self._adopts or not self.members())
            if pid == 0:
                return Reaped(codes, is_empty=False)
            codes[pid] = os.waitstatus_to_exitcode(status)

    def clear(self) -> Found:
        """Kill until nothing is left; return what was struck. It ends only when the kernel lets all of them go."""
        struck: Found = {}
        while not self.reap().is_empty:
            found = self.members()
            strike(found)
            struck |= found
            time.sleep(0.01)
        return struck
