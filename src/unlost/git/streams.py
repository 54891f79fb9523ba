"""A zlib stream written by a second thread, for contents too large to be held in memory."""

from __future__ import annotations

import os
import struct
import threading
import zlib
from collections.abc import Sequence
from queue import SimpleQueue
from typing import Final, Protocol

from unlost.host.reading import write_all

_BLOCK: Final = 65535
_PIECES_WAITING: Final = 4
_SAMPLE: Final = 65536
_DENSE: Final = 58_000


class Packer(Protocol):
    """What turns content into the bytes of a zlib stream."""

    def compress(self, data: bytes, /) -> bytes | Sequence[bytes | memoryview]:
        """The next bytes, or buffers to be written one after another."""

    def flush(self) -> bytes:
        """The end of the stream."""


def packer_for(sample: bytes) -> Packer:
    """Fast compression; none where the sample shows that the content is noise (media, archives)."""
    sample = sample[:_SAMPLE]
    if len(sample) == _SAMPLE and len(zlib.compress(sample, 1)) > _DENSE:
        return StoredBlocks()
    return zlib.compressobj(1)


class StoredBlocks:
    """A zlib stream of stored blocks: what level 0 makes, without its copies."""

    def __init__(self) -> None:
        self._sum = 1
        self._head = b"\x78\x01"

    def compress(self, data: bytes, /) -> Sequence[bytes | memoryview]:
        """Buffers for one piece."""
        self._sum = zlib.adler32(data, self._sum)
        view = memoryview(data)
        parts: list[bytes | memoryview] = [self._head]
        self._head = b""
        for start in range(0, len(data), _BLOCK):
            piece = view[start : start + _BLOCK]
            parts += (struct.pack("<BHH", 0, len(piece), len(piece) ^ 0xFFFF), piece)
        return parts

    def flush(self) -> bytes:
        """The empty last block and the checksum."""
        return self._head + b"\x01\0\0\xff\xff" + struct.pack(">I", self._sum)


class BackgroundWriter:
    """Packs and writes pieces to a descriptor while the caller reads and hashes the next ones."""

    def __init__(self, packer: Packer, descriptor: int) -> None:
        self._packer = packer
        self._descriptor = descriptor
        self._error: OSError | zlib.error | None = None
        self._pieces: SimpleQueue[bytes | None] = SimpleQueue()
        self._room = threading.Semaphore(_PIECES_WAITING)
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def put(self, piece: bytes) -> None:
        """Hand over one piece; waits while several are still to be written."""
        self._room.acquire()
        self._pieces.put(piece)

    def finish(self) -> None:
        """Write the rest and wait. Raises the OSError that stopped the writing, a full disk for one."""
        self._pieces.put(None)
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        while (piece := self._pieces.get()) is not None:
            self._room.release()
            self._guarded(self._packer.compress, piece)
        self._guarded(self._packer.flush)

    def _guarded(self, make: object, *pieces: bytes) -> None:
        """Write unless writing has failed; the caller learns of it at the end and must not be blocked before."""
        if self._error is not None:
            return
        try:
            self._write(make(*pieces))  # type: ignore[operator]
        except (OSError, zlib.error) as error:
            self._error = error

    def _write(self, data: bytes | Sequence[bytes | memoryview]) -> None:
        if isinstance(data, bytes):
            write_all(self._descriptor, data)
            return
        written = os.writev(self._descriptor, data)
        if written != sum(map(len, data)):
            write_all(self._descriptor, memoryview(b"".join(data))[written:])
