"""Files below an untrusted root, opened component by component and never through a link; and small own files.

Every path below a root is `bytes` with `/` between components.
"""

from __future__ import annotations

import errno
import os
import stat
from _thread import get_ident
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Final, Self

from unlost.host.stamps import Stamp, stamp_of

_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER: Final = _READ | os.O_DIRECTORY
_PIECE: Final = 1 << 20
_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


def is_gone(error: OSError) -> bool:
    """Whether an error means that the path is not there: absent, or a parent is a file or a link."""
    return error.errno in _GONE


class Reader:
    """Opens and inspects paths below one root; fast when paths come sorted, for it keeps the last folders open.

    Where a parent is a link or a file the path counts as gone: what a link leads to is never looked at.
    Raises the OSError of the system call.
    """

    def __init__(self, root: str | bytes, *, folder: int | None = None) -> None:
        """`root` must be a folder; with `folder` (a descriptor) it is opened below that, else by its path."""
        self.root = os.open(root, _FOLDER, dir_fd=folder)
        self._parts: list[bytes] = []
        self._opened: list[int] = []
        self._parent: bytes | None = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every descriptor."""
        for descriptor in (*self._opened, self.root):
            os.close(descriptor)
        self._opened, self._parts = [], []

    def folder(self, path: bytes) -> int:
        """A descriptor of a folder (empty: the root), good until the next call on this reader."""
        self._parent = None
        parts = path.split(b"/") if path else []
        same = 0
        for part, known in zip(parts, self._parts, strict=False):
            if part != known:
                break
            same += 1
        for descriptor in self._opened[same:]:
            os.close(descriptor)
        del self._opened[same:], self._parts[same:]
        for part in parts[same:]:
            if part in (b"", b".", b".."):
                raise FileNotFoundError(errno.ENOENT, "not a path below the root", path)
            self._opened.append(os.open(part, _FOLDER, dir_fd=self._opened[-1] if self._opened else self.root))
            self._parts.append(part)
        self._parent = path
        return self._opened[-1] if self._opened else self.root

    def locate(self, path: bytes) -> tuple[int, bytes]:
        """(descriptor of the parent, last component)."""
        parent, _, name = path.rpartition(b"/")
        if parent != self._parent:
            return self.folder(parent), name
        return (self._opened[-1] if self._opened else self.root), name

    def status(self, path: bytes) -> os.stat_result:
        """The path's own status; of a link, the link's."""
        parent, name = self.locate(path)
        return os.stat(name, dir_fd=parent, follow_symlinks=False)

    def status_or_none(self, path: bytes) -> os.stat_result | None:
        """The path's own status; None when it is gone."""
        try:
            parent, name = self.locate(path)
            return os.stat(name, dir_fd=parent, follow_symlinks=False)
        except OSError as error:
            if is_gone(error):
                return None
            raise

    def stamps(self, paths: Iterable[bytes]) -> Iterator[tuple[bytes, Stamp | None]]:
        """Each path with the stamp of what it names itself; None where nothing is, or where the system will not say.

        Thousands are asked for in a row, so one call does it all. Take every answer before the next call on this
        reader.
        """
        known, descriptor, stat = None, self.root, os.stat
        for path in paths:
            parent, _, name = path.rpartition(b"/")
            try:
                if parent != known:
                    known = None
                    descriptor = self.folder(parent)
                    known = parent
                status = stat(name, dir_fd=descriptor, follow_symlinks=False)
            except OSError:
                yield path, None
                continue
            yield path, stamp_of(status)

    def open(self, path: bytes) -> int:
        """A descriptor to read from; the caller closes it, and asks `fstat` what it got (opening a fifo works)."""
        parent, name = self.locate(path)
        return os.open(name, _READ, dir_fd=parent)

    def link_target(self, path: bytes) -> bytes:
        """What a link holds."""
        parent, name = self.locate(path)
        return os.readlink(name, dir_fd=parent)

    def read(self, path: bytes, limit: int) -> bytes | None:
        """Content of a regular file of at most `limit` bytes; None when it is gone, no file, or larger."""
        try:
            descriptor = self.open(path)
        except OSError as error:
            if is_gone(error):
                return None
            raise
        return _take(descriptor, limit)


def read_regular(path: str | bytes, limit: int) -> bytes | None:
    """Content of a regular file of at most `limit` bytes, not through a final link; None when there is none.

    Raises OSError when it is there and cannot be read.
    """
    try:
        descriptor = os.open(path, _READ)
    except OSError as error:
        if is_gone(error):
            return None
        raise
    return _take(descriptor, limit)


def write_all(descriptor: int, data: bytes | bytearray | memoryview) -> None:
    """Write every byte; a full disk is an OSError, never a short file that looks whole."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def write_atomically(path: str, data: bytes, *, durable: bool = False) -> None:
    """Replace a file of our own, or make it: readers see the old content or the new, whole. Mode 0600.

    With `durable` it also survives a loss of power from the moment this returns.
    """
    temporary = f"{path}.{os.getpid()}-{get_ident()}.new"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            write_all(descriptor, data)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.rename(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    if durable:
        sync_folder(os.path.dirname(path))


def sync_folder(path: str) -> None:
    """Make the names in a folder survive a loss of power."""
    descriptor = os.open(path, _FOLDER)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _take(descriptor: int, limit: int) -> bytes | None:
    """Read and close; None for anything but a regular file within the limit."""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return None
        pieces, size = [], 0
        while piece := os.read(descriptor, min(status.st_size + 1, _PIECE)):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                return None
        return b"".join(pieces)
    finally:
        os.close(descriptor)
