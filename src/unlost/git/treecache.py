"""Trees by id from two flat files, so that looking at a few folders of a large tree needs no git process.

`trees` holds tree contents one after another; `trees.index` holds rows of (raw id, offset, length): a sorted part,
found by halving, then a short tail in the order of arrival. Every tree is proved by its own id when it is read, so
that a damaged or torn file only costs time: what it cannot give is asked of the store and put in again.
"""

from __future__ import annotations

import os
import struct
from typing import Final

from unlost.facts.trees import Entry
from unlost.git.call import Git
from unlost.git.formats import ObjectFormat
from unlost.git.parse import parse_tree_listing
from unlost.git.reader import ObjectReader, read_batch
from unlost.git.trees import parse_tree
from unlost.host.reading import read_regular, write_all, write_atomically

_MAGIC: Final = b"UNLTREE1"
_HEADER: Final = len(_MAGIC) + 4
_PLACE: Final = struct.Struct(">QI")
_LONGEST_TAIL: Final = 512
_LARGEST: Final = 1 << 30


class TreeCache:
    """A `TreeSource` over the two files; what was kept is written by `flush`. Used under the capture lock."""

    def __init__(self, path: str, format: ObjectFormat, reader: ObjectReader) -> None:  # noqa: A002
        self._path = path
        self._format = format
        self._reader = reader
        self._row = format.width + _PLACE.size
        self._sorted: bytes | None = None
        self._tail: dict[bytes, tuple[int, int]] = {}
        self._parsed: dict[str, dict[bytes, Entry]] = {}
        self._added: dict[bytes, bytes] = {}
        self._damaged: set[bytes] = set()
        self._file: int | None = None

    def close(self) -> None:
        """Close the file; what was not flushed is only not cached."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def tree(self, oid: str) -> dict[bytes, Entry]:
        """The entries of a tree. Raises ObjectMissing."""
        found = self._parsed.get(oid)
        if found is None:
            data = self._cached(oid)
            if data is None:
                data = self._reader.tree_data(oid)
                self.keep(oid, data)
            found = self._parsed[oid] = parse_tree(data, self._format.width)
        return found

    def keep(self, oid: str, data: bytes) -> None:
        """Remember a tree's content at the next `flush`."""
        self._added.setdefault(bytes.fromhex(oid), data)

    def fill(self, git: Git, root: str) -> None:
        """Keep every tree below a root, with two processes in place of a question for each."""
        listed = parse_tree_listing(git.run("ls-tree", "-r", "-t", "-z", "--full-tree", root))
        for oid, data in read_batch(git, {root, *listed.trees}):
            self.keep(oid, data)

    def flush(self) -> None:
        """Append what was kept and is not there yet."""
        if not self._added:
            return
        rows = self._rows()
        fresh = {raw: data for raw, data in self._added.items() if raw in self._damaged or self._place(raw) is None}
        self._added = {}
        if not fresh:
            return
        self.close()
        descriptor = self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        end = os.fstat(descriptor).st_size
        if end > _LARGEST:
            os.ftruncate(descriptor, 0)
            self._sorted, self._tail, rows, end = b"", {}, b"", 0
        os.lseek(descriptor, end, os.SEEK_SET)
        write_all(descriptor, b"".join(fresh.values()))
        before = len(self._tail)
        for raw, data in fresh.items():
            self._tail[raw] = (end, len(data))
            end += len(data)
        if len(self._tail) > _LONGEST_TAIL or not rows:
            self._merge()
        else:
            self._append_rows(len(rows) + before * self._row, list(fresh))

    def _cached(self, oid: str) -> bytes | None:
        raw = bytes.fromhex(oid)
        if raw in self._added:
            return self._added[raw]
        place = self._place(raw)
        if place is None or not self._open():
            return None
        assert self._file is not None
        data = os.pread(self._file, place[1], place[0])
        if self._format.name_of(b"tree", data) == oid:
            return data
        self._damaged.add(raw)
        return None

    def _open(self) -> bool:
        """Open for reading; False when there is no file, as in a state home that only holds a store."""
        if self._file is None:
            try:
                self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            except OSError:
                return False
        return True

    def _place(self, raw: bytes) -> tuple[int, int] | None:
        self._rows()
        return self._tail.get(raw) or self._find(raw)

    def _rows(self) -> bytes:
        """The sorted rows, read when first needed; a file that is not whole counts as empty."""
        if self._sorted is None:
            data = read_regular(f"{self._path}.index", _LARGEST) or b""
            count = struct.unpack_from(">I", data, len(_MAGIC))[0] if len(data) >= _HEADER else 0
            end = _HEADER + count * self._row
            sound = data.startswith(_MAGIC) and len(data) >= end
            self._sorted = data[_HEADER:end] if sound else b""
            for start in range(end, len(data) - self._row + 1, self._row) if sound else ():
                raw = data[start : start + self._format.width]
                self._tail[raw] = _PLACE.unpack_from(data, start + self._format.width)
        return self._sorted

    def _find(self, raw: bytes) -> tuple[int, int] | None:
        rows, width, row = self._rows(), self._format.width, self._row
        low, high = 0, len(rows) // row
        while low < high:
            middle = (low + high) // 2
            if rows[middle * row : middle * row + width] < raw:
                low = middle + 1
            else:
                high = middle
        start = low * row
        if rows[start : start + width] != raw:
            return None
        offset, length = _PLACE.unpack_from(rows, start + width)
        return offset, length

    def _merge(self) -> None:
        """Write one sorted part of everything."""
        rows = self._rows()
        parts = [rows[start : start + self._row] for start in range(0, len(rows), self._row)]
        parts += [raw + _PLACE.pack(*place) for raw, place in self._tail.items()]
        self._sorted, self._tail = b"".join(sorted(parts)), {}
        head = _MAGIC + struct.pack(">I", len(self._sorted) // self._row)
        write_atomically(f"{self._path}.index", head + self._sorted)

    def _append_rows(self, start: int, added: list[bytes]) -> None:
        """Write behind the known rows, whatever a torn write may have left there."""
        rows = b"".join(raw + _PLACE.pack(*self._tail[raw]) for raw in added)
        descriptor = os.open(f"{self._path}.index", os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            os.pwrite(descriptor, rows, _HEADER + start)
        finally:
            os.close(descriptor)
