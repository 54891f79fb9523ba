"""A log that cannot grow without end: when it is full, its older half goes."""

from __future__ import annotations

import io
import os
from typing import Any, Final, TextIO

LIMIT: Final = 1 << 20
"""Bytes that a log has at most, but for one write."""


def open_bounded_log(path: str, *, limit: int = LIMIT) -> TextIO:
    """A text stream that appends to a file of ours (0600), every line at once. Raises OSError."""
    raw = _BoundedFile(path, limit)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", line_buffering=True, write_through=True
    )


class _BoundedFile(io.RawIOBase):
    """The bytes below: everything is appended, so that several descriptors of one file never write over each other."""

    def __init__(self, path: str, limit: int) -> None:
        self._limit = limit
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The descriptor of the file."""
        return self._descriptor

    def write(self, data: Any, /) -> int:
        """Append; then make room when the file is full."""
        written = os.write(self._descriptor, data)
        if os.fstat(self._descriptor).st_size > self._limit:
            self._make_room()
        return written

    def close(self) -> None:
        """Close the file, once."""
        if not self.closed:
            os.close(self._descriptor)
        super().close()

    def _make_room(self) -> None:
        """Keep the newer half, from the beginning of a line on."""
        kept = self._limit // 2
        tail = os.pread(self._descriptor, kept, os.fstat(self._descriptor).st_size - kept)
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, tail[tail.find(b"\n") + 1 :])
