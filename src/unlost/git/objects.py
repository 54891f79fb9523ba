"""Write git objects into a store of ours, in process: loose files, or one pack when many are expected."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from unlost.git.formats import ObjectFormat
from unlost.git.packing import FULL, PackWriter
from unlost.host.doors import open_door
from unlost.host.ids import new_nonce
from unlost.host.reading import sync_folder, write_all

if TYPE_CHECKING:
    from unlost.git.streams import BackgroundWriter

STREAMS: Final[Mapping[str, str]] = {"threads": "unlost.git.streams"}
"""What writes large contents; opened by the first of them."""

STREAM_FROM: Final = 4 << 20
"""Contents larger than this are streamed into a loose object, never held in memory."""
_TEMPORARY: Final = "tmp_obj_"


class ObjectWriter:
    """Writes objects below `STORE/objects`; `finish` makes a pack visible, `abandon` throws it away.

    A name in the store never holds a torn object: content goes to a temporary file (`tmp_obj_…`, which git's own
    prune removes) and is renamed. With `durable`, what `finish` has left behind survives a loss of power.
    Raises OSError when the disk is full; objects written before stay valid.
    """

    def __init__(self, store: str, format: ObjectFormat, *, pack: bool, durable: bool) -> None:  # noqa: A002
        self.format = format
        self.written = 0
        self._folder = os.path.join(store, "objects")
        self._durable = durable
        self._packing = pack
        self._made: set[str] = set()
        self._pack: tuple[str, int, PackWriter] | None = None

    def expect(self, oids: Iterable[str]) -> None:
        """Objects that the store is known to hold: they are not written again."""
        self._made.update(oids)

    def write(self, kind: bytes, data: bytes) -> str:
        """Store an object (kind: blob, tree or commit) held in memory; returns its id."""
        full = b"%b %d\0%b" % (kind, len(data), data)
        oid = self.format.new(full).hexdigest()
        if oid in self._made:
            return oid
        self._made.add(oid)
        if self._packing:
            self._append(kind, oid, data)
        elif not os.path.exists(self._name(oid)):
            self._write_loose(oid, zlib.compress(full, 1))
        return oid

    def write_tree(self, data: bytes) -> str:
        """Store a tree's content."""
        return self.write(b"tree", data)

    def write_blob(self, size: int, chunks: Iterable[bytes]) -> str | None:
        """Store a file's content; None, and nothing stored, when its length turns out not to be `size`."""
        if size > STREAM_FROM:
            return self._write_streamed(size, chunks)
        data = b"".join(chunks)
        return self.write(b"blob", data) if len(data) == size else None

    def finish(self) -> None:
        """Complete the open pack: the pack first, then its index, which makes it visible."""
        if self._pack is None:
            return
        temporary, descriptor, pack = self._pack
        checksum, index = pack.finish()
        self.written += pack.size
        folder = os.path.join(self._folder, "pack")
        name = os.path.join(folder, f"pack-{checksum}")
        self._pack = None
        self._publish(temporary, descriptor, f"{name}.pack")
        temporary, descriptor = self._temporary()
        write_all(descriptor, index)
        self._publish(temporary, descriptor, f"{name}.idx")
        if self._durable:
            sync_folder(folder)

    def abandon(self) -> None:
        """Throw the open pack away; harmless after `finish`."""
        if self._pack is not None:
            temporary, descriptor, _ = self._pack
            self._pack = None
            os.close(descriptor)
            os.unlink(temporary)

    def _append(self, kind: bytes, oid: str, data: bytes) -> None:
        if self._pack is None:
            temporary, descriptor = self._temporary()
            self._pack = (temporary, descriptor, PackWriter(descriptor, self.format))
        self._pack[2].append(kind, oid, data)
        if self._pack[2].size > FULL:
            self.finish()

    def _write_loose(self, oid: str, packed: bytes) -> None:
        temporary, descriptor = self._temporary()
        try:
            write_all(descriptor, packed)
        except OSError:
            os.close(descriptor)
            os.unlink(temporary)
            raise
        self.written += len(packed)
        self._publish(temporary, descriptor, self._name(oid))

    def _write_streamed(self, size: int, chunks: Iterable[bytes]) -> str | None:
        """A loose object of any size in constant memory."""
        header = b"blob %d\0" % size
        digest, total = self.format.new(header), 0
        writer: BackgroundWriter | None = None
        temporary, descriptor = self._temporary()
        try:
            try:
                for piece in chunks:
                    if writer is None:
                        streams = open_door(STREAMS, "threads")
                        writer = streams.BackgroundWriter(streams.packer_for(piece), descriptor)
                        writer.put(header)
                    writer.put(piece)
                    digest.update(piece)
                    total += len(piece)
            finally:
                if writer is not None:
                    writer.finish()
        except BaseException:
            os.close(descriptor)
            os.unlink(temporary)
            raise
        if total != size:
            os.close(descriptor)
            os.unlink(temporary)
            return None
        oid = digest.hexdigest()
        self.written += os.fstat(descriptor).st_size
        self._publish(temporary, descriptor, self._name(oid))
        return oid

    def _name(self, oid: str) -> str:
        return f"{self._folder}/{oid[:2]}/{oid[2:]}"

    def _temporary(self) -> tuple[str, int]:
        name = f"{self._folder}/{_TEMPORARY}{new_nonce()}"
        return name, os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o400)

    def _publish(self, temporary: str, descriptor: int, name: str) -> None:
        """Sync, close, rename."""
        if self._durable:
            os.fsync(descriptor)
        os.close(descriptor)
        try:
            os.rename(temporary, name)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(name), exist_ok=True)
            os.rename(temporary, name)
