"""Objects out of a git pack without deltas, by the offsets of its index; each proved by its own name.

The index comes with the pack, so the extent of every object is known, and memory holds one object at a time.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, Self

from unlost.host.folders import Folder

BASE: Final = "base"
WORK: Final = "work"
ENDINGS: Final = ("pack", "idx")
LARGE: Final = 8 << 20
"""Contents from this size on are handled in pieces."""
_PIECE: Final = 1 << 20
_KINDS: Final = {1: "commit", 2: "tree", 3: "blob"}
_HEADER: Final = 32
_SHORTEST: Final = 12
_WIDTHS: Final = {"sha1": 20, "sha256": 32}


def pack_names(*, with_base: bool, for_git: bool) -> tuple[bytes, ...]:
    """The files of the packs that travel together; git makes the indexes of those that it takes in."""
    packs = (BASE, WORK) if with_base else (WORK,)
    endings = ENDINGS[:1] if for_git else ENDINGS
    return tuple(f"{pack}.{ending}".encode("ascii") for pack in packs for ending in endings)


class PackDamaged(Exception):
    """A pack is not what its index or its objects' names say."""


class Extent(NamedTuple):
    """Where an object lies in the pack: its kind, size, and the bytes of its compressed content."""

    kind: str
    size: int
    start: int
    end: int


class Pack:
    """One open pack; a context manager. Raises PackDamaged for anything that does not fit."""

    def __init__(self, folder: str, name: str, object_format: str) -> None:
        """`folder/name.pack` and `folder/name.idx`."""
        self._format = object_format
        self._width = _WIDTHS[object_format]
        self._descriptor = os.open(os.path.join(folder, f"{name}.pack"), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            with open(os.path.join(folder, f"{name}.idx"), "rb") as index:
                self.extents: Mapping[str, Extent] = dict(self._read_index(index.read()))
        except BaseException:
            os.close(self._descriptor)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    @property
    def checksum(self) -> str:
        """The pack's own name: the hash at its end."""
        return _checksum(self._descriptor, self._width)

    def of_kind(self, kind: str) -> Iterator[tuple[str, Extent]]:
        """Every object of a kind, in the order of the file."""
        return ((oid, extent) for oid, extent in self.extents.items() if extent.kind == kind)

    def read(self, oid: str, extent: Extent) -> bytes:
        """The content of an object, proved."""
        return b"".join(self.pieces(oid, extent))

    def pieces(self, oid: str, extent: Extent) -> Iterator[bytes]:
        """The content of an object in pieces; PackDamaged after the last one when it is not what its name says."""
        digest = hashlib.new(self._format, b"%b %d\0" % (extent.kind.encode(), extent.size), usedforsecurity=False)
        total = 0
        for piece in self._inflated(extent):
            total += len(piece)
            if total > extent.size:
                break
            digest.update(piece)
            yield piece
        if total != extent.size or digest.hexdigest() != oid:
            raise PackDamaged(f"the object {oid[:12]} is damaged")

    def _inflated(self, extent: Extent) -> Iterator[bytes]:
        inflater, position = zlib.decompressobj(), extent.start
        try:
            while position < extent.end and not inflater.eof:
                packed = os.pread(self._descriptor, min(_PIECE, extent.end - position), position)
                if not packed:
                    break
                position += len(packed)
                while packed:
                    yield inflater.decompress(packed, _PIECE)
                    packed = inflater.unconsumed_tail
            yield inflater.flush()
        except zlib.error as error:
            raise PackDamaged("an object does not inflate") from error

    def _read_index(self, data: bytes) -> Iterator[tuple[str, Extent]]:
        """The objects of an index of version 2, in the order of the pack."""
        end = os.fstat(self._descriptor).st_size - self._width
        for (oid, start), (_, following) in _pairs(sorted(self._offsets(data), key=lambda each: each[1]), end):
            yield oid, self._extent(start, following)

    def _offsets(self, data: bytes) -> Iterator[tuple[str, int]]:
        if data[:8] != b"\377tOc\0\0\0\2" or len(data) < 1032:
            raise PackDamaged("the index of a pack is damaged")
        count, width = struct.unpack_from(">I", data, 1028)[0], self._width
        names, small = 1032, 1032 + count * (width + 4)
        large = small + 4 * count
        if len(data) < large + 2 * width:
            raise PackDamaged("the index of a pack is torn")
        for number in range(count):
            offset = struct.unpack_from(">I", data, small + 4 * number)[0]
            if offset & 0x80000000:
                offset = struct.unpack_from(">Q", data, large + 8 * (offset & 0x7FFFFFFF))[0]
            yield data[names + number * width : names + (number + 1) * width].hex(), offset

    def _extent(self, start: int, end: int) -> Extent:
        head = os.pread(self._descriptor, _HEADER, start)
        if not head:
            raise PackDamaged("a pack is torn")
        kind, size, shift, used = (head[0] >> 4) & 7, head[0] & 15, 4, 1
        while head[used - 1] & 0x80:
            size |= (head[used] & 0x7F) << shift
            shift, used = shift + 7, used + 1
        if kind not in _KINDS:
            raise PackDamaged("a pack has deltas, which a place cannot read")
        return Extent(kind=_KINDS[kind], size=size, start=start + used, end=end)


def checksum_of(folder: Folder, name: str, object_format: str) -> str:
    """The own name of a pack that is not opened. Raises PackDamaged for a file too short to be one."""
    descriptor = folder.open_file(f"{name}.pack".encode("ascii"))
    try:
        return _checksum(descriptor, _WIDTHS[object_format])
    finally:
        os.close(descriptor)


def _checksum(descriptor: int, width: int) -> str:
    size = os.fstat(descriptor).st_size
    if size < _SHORTEST + width:
        raise PackDamaged("a pack is torn")
    return os.pread(descriptor, width, size - width).hex()


def _pairs(offsets: list[tuple[str, int]], end: int) -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
    # A pack may be empty.
    return zip(offsets, [*offsets[1:], ("", end)][: len(offsets)], strict=True)


def tree_entries(data: bytes, object_format: str) -> Iterator[tuple[str, bytes, str]]:
    """(mode, name, object id) of each entry of a tree. Raises PackDamaged for torn data."""
    width, position = _WIDTHS[object_format], 0
    try:
        while position < len(data):
            space = data.index(b" ", position)
            zero = data.index(b"\0", space)
            end = zero + 1 + width
            if end > len(data):
                raise PackDamaged("a tree is torn")
            yield data[position:space].decode("ascii"), data[space + 1 : zero], data[zero + 1 : end].hex()
            position = end
    except ValueError as error:
        raise PackDamaged("a tree is torn") from error
