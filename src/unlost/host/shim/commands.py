"""What the supervisor tells a shim: JSON lines on its stdin; end of file means that the supervisor is dead."""

from __future__ import annotations

import json
import os
from typing import Any

# A spec carries a whole environment, a `write` one reply to an agent.
_LIMIT = 64 << 20


class SupervisorLost(Exception):
    """The supervisor closed its end: it is dead, or gave up."""


class Commands:
    """Reads commands from a descriptor. Blocking or not is the descriptor's matter."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held = bytearray()

    def first(self) -> dict[str, Any]:
        """Wait for the first command. Raises SupervisorLost."""
        while True:
            for command in self.read(limit=1):
                return command

    @property
    def wait_unread(self) -> bool:
        """Whether a command is here that came together with the one before, so that no poll announces it."""
        return b"\n" in self._held

    def read(self, limit: int = 0) -> list[dict[str, Any]]:
        """The commands that are complete now (at most `limit`; the others wait). Raises SupervisorLost."""
        if not self.wait_unread:
            self._fill()
        *lines, rest = self._held.split(b"\n", limit or -1)
        self._held = rest
        return [json.loads(line) for line in lines]

    def _fill(self) -> None:
        try:
            data = os.read(self._descriptor, 64 << 10)
        except BlockingIOError:
            return
        if not data or len(self._held) > _LIMIT:
            raise SupervisorLost
        self._held += data
