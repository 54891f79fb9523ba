"""The stop ladder: ask the agent, SIGTERM to all below, then freeze and kill until none is left."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Final

from unlost.host.shim.facts import Patience
from unlost.host.shim.machine import signal_exactly
from unlost.host.shim.sweep import Found, strike
from unlost.host.shim.tree import Tree

AT_CAP: Final = frozenset({"turns", "tokens", "cost", "idle", "wall_clock"})
"""Reasons that leave the agent its grace, to hand over what it knows."""

_STUCK_AFTER: Final = 10.0
_ASK, _TERMINATE, _KILL = range(3)


class Ladder:
    """Climbs when `climb` is called and the patience of the rung before is over; the last rung repeats.

    `ask` asks the agent to end by itself and tells whether there was a way to.
    """

    def __init__(self, tree: Tree, patience: Patience, ask: Callable[[], bool]) -> None:
        self._tree = tree
        self._patience = patience
        self._ask = ask
        self._rung = _ASK
        self._until = 0.0
        self.struck: Found = {}

    @property
    def is_stuck(self) -> bool:
        """Whether something has outlived SIGKILL for so long that a person should know."""
        return self._rung == _KILL and time.monotonic() - self._until > _STUCK_AFTER

    def hurry(self) -> None:
        """Leave out what is left of the present patience."""
        self._until = min(self._until, time.monotonic())

    def climb(self, reason: str, *, agent_lives: bool) -> None:
        """Take the next rung when its time has come; an agent that has left is waited for no longer."""
        now = time.monotonic()
        if now < self._until and (agent_lives or self._rung != _TERMINATE):
            return
        if self._rung == _ASK:
            self._rung = _TERMINATE
            if agent_lives and self._ask():
                self._until = now + (self._patience.grace if reason in AT_CAP else self._patience.cancel)
        elif self._rung == _TERMINATE:
            self._rung = _KILL
            self._until = now + self._patience.terminate
            self._terminate()
        else:
            found = self._tree.members()
            strike(found)
            self.struck |= found

    def _terminate(self) -> None:
        for pid, start in self._tree.members().items():
            if signal_exactly(pid, start, signal.SIGTERM):
                self.struck[pid] = start
