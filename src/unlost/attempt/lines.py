"""Cut an agent's output into lines; a line without end holds a bounded part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Line(NamedTuple):
    """One line without its newline; `dropped` bytes of its end were not kept."""

    text: bytes
    dropped: int


class LineCutter:
    """Splits chunks into lines, keeping at most `limit` bytes of each and counting the rest."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self._dropped = 0

    def feed(self, data: bytes) -> Iterator[Line]:
        """Each line that `data` completes."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            self._hold(piece)
            yield self._take()
        self._hold(rest)

    def finish(self) -> Iterator[Line]:
        """What stands behind the last newline, when anything does."""
        if self._held or self._dropped:
            yield self._take()

    def _hold(self, piece: bytes) -> None:
        room = self._limit - len(self._held)
        self._held += piece[:room]
        self._dropped += max(0, len(piece) - room)

    def _take(self) -> Line:
        line = Line(bytes(self._held), self._dropped)
        self._held, self._dropped = bytearray(), 0
        return line


class Tail:
    """The last bytes of a stream."""

    def __init__(self, limit: int = 8 << 10) -> None:
        self._limit = limit
        self._held = b""

    def feed(self, data: bytes) -> None:
        """Keep what is newest."""
        self._held = (self._held + data)[-self._limit :]

    def kept(self) -> bytes:
        """At most `limit` bytes."""
        return self._held
