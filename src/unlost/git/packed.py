"""Objects out of packs without a process: a few small ones, such as the versions of a file that just changed.

A git that is asked for one object costs as much as all else that a boundary does about a changed file. What is
unusual (a large object, a long chain of deltas, another version of the format, damage) is left to git: the answer
is then None. The caller proves what it got by its name.
"""

from __future__ import annotations

import mmap
import os
import struct
import zlib
from typing import Final, NamedTuple

_MAGIC: Final = b"\xfftOc\x00\x00\x00\x02"
_NAMES_AT: Final = len(_MAGIC) + 256 * 4
_LARGE_OFFSET: Final = 1 << 31
_KINDS: Final = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_BY_OFFSET, _BY_NAME = 6, 7
_MOST_PACKS: Final = 256
_LONGEST_CHAIN: Final = 64
_LARGEST: Final = 4 << 20
_PIECE: Final = 1 << 16
_BEGINNING: Final = 4096
"""Bytes that one look at an object takes: more than its header, and most source files whole."""
# A pipe where a pack should be does not block the opening.
_OPEN: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
# A damaged pack or index shows itself in any of these ways.
_UNREADABLE: Final = (OSError, ValueError, IndexError, struct.error, zlib.error)


class Packed(NamedTuple):
    """Kind and content of an object, not proved yet."""

    kind: str
    data: bytes


class Packs:
    """The packs of one folder of objects, opened when first needed; close them when done."""

    def __init__(self, objects_folder: str) -> None:
        self._folder = objects_folder
        self._open: list[_Pack] | None = None
        self._listed: int | None = None

    def read(self, oid: str) -> Packed | None:
        """The object where a pack holds it and it is small; None otherwise, and git has to be asked."""
        raw = bytes.fromhex(oid)
        packs = self._packs()
        for number, pack in enumerate(packs):
            try:
                offset = pack.offset_of(raw)
                if offset is None:
                    continue
                # What is asked for next most often came with this one.
                packs.insert(0, packs.pop(number))
                return pack.read(offset, len(raw))
            except _UNREADABLE:
                return None
        return None

    def holds(self, oid: str) -> bool:
        """Whether the index of a pack names the object; a pack that cannot be read names nothing."""
        raw = bytes.fromhex(oid)
        if any(pack.names(raw) for pack in self._packs()):
            return True
        # What was repacked since they were opened is in a pack that nobody has looked into.
        return self._listed != _stamp(self._folder) and packs_name(self._folder, oid)

    def close(self) -> None:
        """Let go of files and maps."""
        for pack in self._open or ():
            pack.close()
        self._open = None

    def _packs(self) -> list[_Pack]:
        """All packs that can be read; none when there are so many that git had better look."""
        if self._open is None:
            self._open = []
            self._listed = _stamp(self._folder)
            try:
                indexes = _indexes(self._folder)
            except OSError:
                return []
            if len(indexes) > _MOST_PACKS:
                self._listed = None
                return []
            for index in indexes:
                try:
                    self._open.append(_Pack(index))
                except _UNREADABLE:
                    # Gone since it was listed, or of another version.
                    continue
        return self._open


def packs_name(objects_folder: str, oid: str) -> bool:
    """Whether the index of a pack names the object; a pack that cannot be read names nothing."""
    raw = bytes.fromhex(oid)
    try:
        indexes = _indexes(objects_folder)
    except OSError:
        return False
    return any(_names(index, raw) for index in indexes)


def apply_delta(base: bytes, delta: bytes) -> bytes:
    """What a delta makes of its base. Raises ValueError and IndexError for a damaged one."""
    expected, at = _size_at(delta, 0)
    size, at = _size_at(delta, at)
    if expected != len(base) or size > _LARGEST:
        raise ValueError("the delta is of another base, or too large")
    made = bytearray()
    while at < len(delta):
        code = delta[at]
        at += 1
        if code & 0x80:
            start, length, at = _copied(delta, code, at)
            if start + length > len(base):
                raise ValueError("the delta copies from beyond its base")
            made += base[start : start + length]
        elif code:
            made += delta[at : at + code]
            at += code
        else:
            raise ValueError("the delta holds a reserved code")
    if len(made) != size:
        raise ValueError("the delta makes another size than it says")
    return bytes(made)


class _Pack:
    """A pack and the map of its index. Raises OSError and ValueError for what cannot be one."""

    def __init__(self, path: str) -> None:
        self.index = _mapped(path)
        self._path = path.removesuffix(".idx") + ".pack"
        self._descriptor: int | None = None

    @property
    def descriptor(self) -> int:
        """The pack itself, opened when an object of it is read: most packs of a store are only asked for names."""
        if self._descriptor is None:
            self._descriptor = os.open(self._path, _OPEN)
        return self._descriptor

    def close(self) -> None:
        """Let go of both."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self.index.close()

    def names(self, raw: bytes) -> bool:
        """Whether the object is in the index."""
        try:
            return _position(self.index, raw) is not None
        except _UNREADABLE:
            return False

    def offset_of(self, raw: bytes) -> int | None:
        """Where the object begins in the pack."""
        position = _position(self.index, raw)
        if position is None:
            return None
        count = struct.unpack_from(">I", self.index, _NAMES_AT - 4)[0]
        offsets = _NAMES_AT + count * (len(raw) + 4)
        offset: int = struct.unpack_from(">I", self.index, offsets + position * 4)[0]
        if offset < _LARGE_OFFSET:
            return offset
        large: int = struct.unpack_from(">Q", self.index, offsets + count * 4 + (offset - _LARGE_OFFSET) * 8)[0]
        return large

    def read(self, offset: int, width: int) -> Packed | None:
        """The object at an offset, its chain of deltas applied. Raises what damage raises."""
        deltas: list[bytes] = []
        for _ in range(_LONGEST_CHAIN):
            head = os.pread(self.descriptor, _BEGINNING, offset)
            code, size, at = _object_head(head)
            if size > _LARGEST:
                return None
            if code == _BY_OFFSET:
                back, at = _back_at(head, at)
                deltas.append(self._inflated(offset, head, at, size))
                offset -= back
            elif code == _BY_NAME:
                base = self.offset_of(head[at : at + width])
                if base is None:
                    return None
                deltas.append(self._inflated(offset, head, at + width, size))
                offset = base
            else:
                data = self._inflated(offset, head, at, size)
                for delta in reversed(deltas):
                    data = apply_delta(data, delta)
                return Packed(_KINDS[code], data) if code in _KINDS else None
        return None

    def _inflated(self, offset: int, head: bytes, at: int, size: int) -> bytes:
        """What is compressed from `at` on in an object that begins with `head`; most objects are whole in there."""
        inflater = zlib.decompressobj()
        made = bytearray()
        piece, offset = head[at:], offset + at
        while True:
            if not piece or len(made) > size:
                raise ValueError("the pack is torn")
            made += inflater.decompress(piece, size + 1 - len(made))
            if inflater.eof:
                break
            offset += len(piece) - len(inflater.unconsumed_tail)
            piece = os.pread(self.descriptor, _PIECE, offset)
        if len(made) != size:
            raise ValueError("an object of the pack has another size than it says")
        return bytes(made)


def _indexes(objects_folder: str) -> list[str]:
    folder = os.path.join(objects_folder, "pack")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".idx")]


def _stamp(objects_folder: str) -> int | None:
    """What changes when a pack comes or goes; None when there is no folder of packs."""
    try:
        return os.stat(os.path.join(objects_folder, "pack")).st_mtime_ns
    except OSError:
        return None


def _mapped(index: str) -> mmap.mmap:
    """The map of a pack index of version 2, what every git since 1.5.2 writes. Raises OSError, ValueError."""
    descriptor = os.open(index, _OPEN)
    try:
        mapped = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
    finally:
        os.close(descriptor)
    if mapped[: len(_MAGIC)] != _MAGIC or len(mapped) < _NAMES_AT:
        mapped.close()
        raise ValueError("the index is of another version")
    return mapped


def _names(index: str, raw: bytes) -> bool:
    try:
        with _mapped(index) as mapped:
            return _position(mapped, raw) is not None
    except _UNREADABLE:
        # Gone between listing and opening (a repack), or empty.
        return False


def _position(index: mmap.mmap, raw: bytes) -> int | None:
    """Which of the names in an index it is, found by halving."""
    low = struct.unpack_from(">I", index, len(_MAGIC) + (raw[0] - 1) * 4)[0] if raw[0] else 0
    high: int = struct.unpack_from(">I", index, len(_MAGIC) + raw[0] * 4)[0]
    while low < high:
        middle: int = (low + high) // 2
        at = _NAMES_AT + middle * len(raw)
        name = index[at : at + len(raw)]
        if name == raw:
            return middle
        low, high = (middle + 1, high) if name < raw else (low, middle)
    return None


def _object_head(head: bytes) -> tuple[int, int, int]:
    """(code of the kind, size, where what follows begins) of an object in a pack."""
    byte, at = head[0], 1
    code, size, shift = (byte >> 4) & 7, byte & 15, 4
    while byte & 0x80:
        byte = head[at]
        at += 1
        size |= (byte & 0x7F) << shift
        shift += 7
    return code, size, at


def _back_at(head: bytes, at: int) -> tuple[int, int]:
    """How far before it the base of a delta begins."""
    byte = head[at]
    at += 1
    back = byte & 0x7F
    while byte & 0x80:
        byte = head[at]
        at += 1
        back = ((back + 1) << 7) | (byte & 0x7F)
    if not back:
        raise ValueError("a delta is its own base")
    return back, at


def _size_at(delta: bytes, at: int) -> tuple[int, int]:
    size = shift = 0
    while True:
        byte = delta[at]
        at += 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return size, at


def _copied(delta: bytes, code: int, at: int) -> tuple[int, int, int]:
    """(start, length, where the next code is) of a copy out of the base."""
    start = length = 0
    for bit in range(4):
        if code & (1 << bit):
            start |= delta[at] << (8 * bit)
            at += 1
    for bit in range(3):
        if code & (1 << (4 + bit)):
            length |= delta[at] << (8 * bit)
            at += 1
    return start, length or 0x10000, at
