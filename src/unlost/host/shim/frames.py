"""The pipe from a shim to its supervisor: kind (1 byte), length (4 bytes, big endian), payload.

The agent's output travels as raw chunks, so that the shim spends nothing on lines and never holds one.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

STDOUT: Final = b"o"
STDERR: Final = b"e"
TOLD: Final = b"j"
"""One JSON object of the shim's own: ready, busy, started, not_started, stuck, ended."""

_HEAD: Final = struct.Struct(">cI")


class Frame(NamedTuple):
    """One frame as it was sent."""

    kind: bytes
    payload: bytes

    def told(self) -> dict[str, Any]:
        """The object of a TOLD frame."""
        value: dict[str, Any] = json.loads(self.payload)
        return value


def packed(kind: bytes, payload: bytes) -> bytes:
    """A frame as bytes."""
    return _HEAD.pack(kind, len(payload)) + payload


class FrameCutter:
    """Turns what a pipe gives into frames; the rest of a frame that a killed shim tore is never seen."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Each frame that `data` completes."""
        self._held += data
        start = 0
        while len(self._held) - start >= _HEAD.size:
            kind, length = _HEAD.unpack_from(self._held, start)
            end = start + _HEAD.size + length
            if len(self._held) < end:
                break
            yield Frame(kind, bytes(self._held[start + _HEAD.size : end]))
            start = end
        del self._held[:start]
