"""Packs of whole, undeltified objects: one file and its index in place of many loose ones."""

from __future__ import annotations

import os
import struct
import zlib
from typing import Final

from unlost.git.formats import ObjectFormat
from unlost.host.reading import write_all

FULL: Final = 256 << 20
"""Bytes from which a pack should be closed and another begun; offsets stay far below 2 GiB."""
_CODES: Final = {b"commit": 1, b"tree": 2, b"blob": 3}
_HEADER: Final = 12
_PIECE: Final = 1 << 20


class PackWriter:
    """Appends objects to an open file; `finish` completes it and gives the index."""

    def __init__(self, descriptor: int, format: ObjectFormat) -> None:  # noqa: A002  (git's own word)
        self.size = _HEADER
        self._descriptor = descriptor
        self._format = format
        self._entries: list[tuple[bytes, int, int]] = []
        self._unwritten = [_pack_header(0)]
        self._waiting = 0

    def append(self, kind: bytes, oid: str, data: bytes) -> None:
        """Add one object; the caller adds none twice."""
        record = _record_header(_CODES[kind], len(data)) + zlib.compress(data, 1)
        self._entries.append((bytes.fromhex(oid), zlib.crc32(record), self.size))
        self._unwritten.append(record)
        self._waiting += len(record)
        self.size += len(record)
        if self._waiting > _PIECE:
            self._write()

    def finish(self) -> tuple[str, bytes]:
        """(checksum, content of the index); the file then holds a whole pack."""
        self._write()
        os.pwrite(self._descriptor, _pack_header(len(self._entries)), 0)
        digest, offset = self._format.new(), 0
        while piece := os.pread(self._descriptor, _PIECE, offset):
            digest.update(piece)
            offset += len(piece)
        write_all(self._descriptor, digest.digest())
        return digest.hexdigest(), pack_index(sorted(self._entries), digest.digest(), self._format)

    def _write(self) -> None:
        """Write what came since the last time: thousands of small objects are not worth a call each."""
        write_all(self._descriptor, b"".join(self._unwritten))
        self._unwritten, self._waiting = [], 0


def pack_index(
    entries: list[tuple[bytes, int, int]],
    checksum: bytes,
    format: ObjectFormat,  # noqa: A002  (git's own word)
) -> bytes:
    """A version 2 index of a pack below 2 GiB; `entries` are (raw id, crc, offset), sorted."""
    counts = [0] * 256
    for oid, _, _ in entries:
        counts[oid[0]] += 1
    fan_out, total = [], 0
    for count in counts:
        total += count
        fan_out.append(total)
    body = b"".join(
        (
            b"\377tOc\0\0\0\2",
            struct.pack(">256I", *fan_out),
            *(oid for oid, _, _ in entries),
            struct.pack(f">{total}I", *(crc for _, crc, _ in entries)),
            struct.pack(f">{total}I", *(offset for _, _, offset in entries)),
            checksum,
        )
    )
    return body + format.new(body).digest()


def _pack_header(count: int) -> bytes:
    return struct.pack(">4sII", b"PACK", 2, count)


def _record_header(code: int, size: int) -> bytes:
    """Type and size of a packed object, seven bits a byte after the first four."""
    head = bytearray()
    byte, size = (code << 4) | (size & 15), size >> 4
    while size:
        head.append(byte | 128)
        byte, size = size & 127, size >> 7
    head.append(byte)
    return bytes(head)
