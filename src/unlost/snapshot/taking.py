"""Take one path's content into the store, proved not to have moved while it was read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

from unlost.facts.trees import EXECUTABLE, LINK, REGULAR
from unlost.facts.words import IncompleteReason
from unlost.host.reading import Reader, is_gone
from unlost.host.stamps import settled_stamp, stamp_of
from unlost.snapshot.state import Taken

StoreContent = Callable[[int, Iterable[bytes]], str | None]
"""Stores a content of a known size; None when it turned out to have another."""

_Answer = TypeVar("_Answer")

_TRIES: Final = 3
# What readlink says of a file, and open of a socket.
_BECAME_ANOTHER: Final = frozenset({errno.EINVAL, errno.ENXIO})
_PIECE: Final = 1 << 20


class NotTaken(Exception):
    """A path cannot be captured now; it will be listed, with its size where known."""

    def __init__(self, reason: IncompleteReason, size: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.size = size


def take(
    reader: Reader, path: bytes, status: os.stat_result, *, limit: int, now: int, store: StoreContent
) -> Taken | None:
    """Read a file or link into the store; None when it went away. Raises NotTaken.

    What is stored is one state of the file: when its stamp moved while it was read, it is read again.
    """
    current: os.stat_result | None = status
    for _ in range(_TRIES):
        if current is None:
            return None
        _refuse(current, limit)
        taken = _once(reader, path, current, now, store)
        if taken is not None:
            return taken
        current = _asked(reader.status, path)
    raise NotTaken("unstable", current.st_size if current else None)


def _refuse(status: os.stat_result, limit: int) -> None:
    if stat.S_ISLNK(status.st_mode):
        return
    if not stat.S_ISREG(status.st_mode):
        raise NotTaken("special")
    if status.st_size > limit:
        raise NotTaken("too_big", status.st_size)


def _once(reader: Reader, path: bytes, status: os.stat_result, now: int, store: StoreContent) -> Taken | None:
    """One try; None when the file moved under it. An OSError is the store's (a full disk), never the file's."""
    if stat.S_ISLNK(status.st_mode):
        target = _asked(reader.link_target, path)
        oid = store(len(target), [target]) if target is not None else None
        return Taken(LINK, oid, settled_stamp(status, now)) if oid is not None else None
    descriptor = _asked(reader.open, path)
    if descriptor is None:
        return None
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            return None
        oid = store(before.st_size, _pieces(descriptor, before.st_size))
        if oid is None or stamp_of(os.fstat(descriptor)) != stamp_of(before):
            return None
        return Taken(EXECUTABLE if before.st_mode & stat.S_IXUSR else REGULAR, oid, settled_stamp(before, now))
    finally:
        os.close(descriptor)


def _asked(call: Callable[[bytes], _Answer], path: bytes) -> _Answer | None:
    """The answer of a system call about a path; None when the path is gone or became something else."""
    try:
        return call(path)
    except OSError as error:
        if is_gone(error) or error.errno in _BECAME_ANOTHER:
            return None
        raise NotTaken("unreadable") from error


def _pieces(descriptor: int, size: int) -> Iterator[bytes]:
    """The content of an open file; one piece when it is small."""
    while True:
        try:
            piece = os.read(descriptor, min(size + 1, _PIECE))
        except OSError as error:
            raise NotTaken("unreadable", size) from error
        if not piece:
            return
        yield piece
