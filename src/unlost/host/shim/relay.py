"""What goes from the shim to its supervisor: frames, queued while the supervisor is slow, dropped when it is dead."""

from __future__ import annotations

import json
import os
from typing import Any, Final

from unlost.host.shim.frames import TOLD, packed

_ENOUGH: Final = 256 << 10


class Relay:
    """The pipe to the supervisor; its descriptor must not block."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._waiting = bytearray()
        self.is_open = True

    @property
    def waits(self) -> bool:
        """Whether frames wait for room in the pipe."""
        return self.is_open and bool(self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether so much waits that the agent must not be read."""
        return len(self._waiting) >= _ENOUGH

    def tell(self, event: str, **facts: Any) -> None:
        """Queue one event of our own."""
        self.send(TOLD, json.dumps({"event": event, **facts}).encode())

    def send(self, kind: bytes, payload: bytes) -> None:
        """Queue one frame."""
        if self.is_open:
            self._waiting += packed(kind, payload)
            self.flush()

    def flush(self) -> None:
        """Write what the pipe takes."""
        try:
            while self._waiting:
                del self._waiting[: os.write(self._descriptor, self._waiting)]
        except BlockingIOError:
            return
        except OSError:
            self.close()

    def finish(self) -> None:
        """Wait until the last word is written or nobody reads any more."""
        os.set_blocking(self._descriptor, True)
        self.flush()

    def close(self) -> None:
        """Nobody reads any more: forget what waits and whatever comes."""
        self.is_open = False
        self._waiting.clear()
