"""What the shim writes into pipes whose readers may be slow, or dead: it never waits for one."""

from __future__ import annotations

import json
import os
from typing import Any, Final

from unlost.host.shim.frames import TOLD, packed

_ENOUGH: Final = 256 << 10


class Outgoing:
    """Bytes on their way into a pipe that does not block; once nobody reads there, they are dropped."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._waiting = bytearray()
        self._ends = False
        self.is_open = True

    @property
    def waits(self) -> bool:
        """Whether bytes wait for room in the pipe."""
        return bool(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether so much waits that its source must not be read."""
        return len(self._waiting) >= _ENOUGH

    def write(self, data: bytes) -> None:
        """Queue bytes, and write what the pipe takes."""
        if self.is_open:
            self._waiting += data
            self.flush()

    def flush(self) -> None:
        """Write what the pipe takes."""
        try:
            while self._waiting:
                del self._waiting[: os.write(self.descriptor, self._waiting)]
        except BlockingIOError:
            return
        except OSError:
            self.close()
        if self._ends and self.is_open:
            self.close()
            os.close(self.descriptor)

    def end(self) -> None:
        """Let the pipe end behind what waits: whoever reads there comes to its end."""
        self._ends = True
        self.flush()

    def close(self) -> None:
        """Nobody reads any more: forget what waits and whatever comes."""
        self.is_open = False
        self._waiting.clear()


class Relay(Outgoing):
    """The pipe to the supervisor: frames."""

    def tell(self, event: str, **facts: Any) -> None:
        """Queue one event of our own."""
        self.send(TOLD, json.dumps({"event": event, **facts}).encode())

    def send(self, kind: bytes, payload: bytes) -> None:
        """Queue one frame."""
        self.write(packed(kind, payload))

    def finish(self) -> None:
        """Wait until the last word is written, or nobody reads any more."""
        os.set_blocking(self.descriptor, True)
        self.flush()
