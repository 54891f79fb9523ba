"""Notice that something below a folder changed, without saying what.

A watcher is a hint for when to look, never a proof of anything: it can lose events, and what is captured is
decided by a capture alone. On Linux inotify tells at once; elsewhere, or where the kernel grants no more watches,
`PollingWatch` says "look now and then".
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import select
import struct
import sys
import threading
import time
from collections.abc import Iterator
from typing import Final, Protocol

_CLOSE_ON_EXEC: Final = 0o2000000
_NOT_BLOCKING: Final = 0o4000
_CHANGES: Final = 0x2 | 0x4 | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800  # modify attrib moved create delete, of self
_FOLDERS_ONLY: Final = 0x01000000 | 0x02000000  # IN_ONLYDIR, IN_DONT_FOLLOW
_IS_FOLDER: Final = 0x40000000
_ARRIVED: Final = 0x80 | 0x100  # moved to, created
_OVERFLOW: Final = 0x4000
_HEADER: Final = struct.Struct("iIII")
_POLLING_INTERVAL: Final = 15.0


class Watch(Protocol):
    """Tells when to look at a tree again."""

    def wait(self, seconds: float) -> bool:
        """Return True as soon as something may have changed, False when this many seconds passed in quiet."""

    def wake(self) -> None:
        """End a wait of another thread, and every later one, at once with False."""

    def close(self) -> None:
        """Let go of every descriptor."""


def open_watch(root: str, *, skip: frozenset[bytes]) -> Watch:
    """A watch over every folder below `root`, but those whose name is in `skip`; never through a link.

    Falls back to polling where inotify does not exist or refuses (its limits are the machine's, not ours).
    """
    if sys.platform.startswith("linux"):
        with contextlib.suppress(OSError):
            return InotifyWatch(root, skip)
    return PollingWatch()


class PollingWatch:
    """Says every 15 seconds that something may have changed."""

    def __init__(self, interval: float = _POLLING_INTERVAL) -> None:
        self._interval = interval
        self._last = time.monotonic()
        self._woken = threading.Event()

    def wait(self, seconds: float) -> bool:
        """Sleep; True when the interval is over."""
        rest = self._last + self._interval - time.monotonic()
        woken = self._woken.wait(max(0.0, min(seconds, rest)))
        if woken or time.monotonic() < self._last + self._interval:
            return False
        self._last = time.monotonic()
        return True

    def wake(self) -> None:
        """End a wait of another thread, and every later one."""
        self._woken.set()

    def close(self) -> None:
        """Nothing is held."""


class InotifyWatch:
    """Linux: one kernel watch for each folder; new folders are watched as they appear."""

    def __init__(self, root: str, skip: frozenset[bytes]) -> None:
        self._skip = skip
        self._library = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._checked(self._library.inotify_init1(_CLOSE_ON_EXEC | _NOT_BLOCKING))
        self._folders: dict[int, bytes] = {}
        self._woken, self._wake = os.pipe()
        try:
            self._add(os.fsencode(root))
        except OSError:
            self.close()
            raise

    def wait(self, seconds: float) -> bool:
        """True as soon as the kernel reports a change below the root."""
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        poll.register(self._woken, select.POLLIN)
        deadline = time.monotonic() + seconds
        while ready := poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            if any(descriptor == self._woken for descriptor, _ in ready):
                return False
            if self._drain():
                return True
        return False

    def wake(self) -> None:
        """End a wait of another thread, and every later one: nobody reads what is written here."""
        os.write(self._wake, b"!")

    def close(self) -> None:
        """Close every descriptor, which ends every watch."""
        for descriptor in (self._descriptor, self._woken, self._wake):
            os.close(descriptor)

    def _drain(self) -> bool:
        """Read what waits; whether any of it counts."""
        counts = False
        for watch, mask, name in self._events():
            if mask & _OVERFLOW:
                counts = True
                continue
            if name in self._skip:
                continue
            counts = True
            if mask & _IS_FOLDER and mask & _ARRIVED and watch in self._folders:
                # A limit reached later costs notice of one folder; the next capture still sees it.
                with contextlib.suppress(OSError):
                    self._add(os.path.join(self._folders[watch], name))
        return counts

    def _events(self) -> Iterator[tuple[int, int, bytes]]:
        try:
            data = os.read(self._descriptor, 1 << 16)
        except BlockingIOError:
            return
        position = 0
        while position < len(data):
            watch, mask, _, length = _HEADER.unpack_from(data, position)
            position += _HEADER.size
            yield watch, mask, data[position : position + length].rstrip(b"\0")
            position += length

    def _add(self, top: bytes) -> None:
        """Watch a folder and all below it. Raises OSError when the kernel grants no more watches."""
        folders = [top]
        while folders:
            folder = folders.pop()
            number = self._library.inotify_add_watch(self._descriptor, folder, _CHANGES | _FOLDERS_ONLY)
            if number < 0:
                code = ctypes.get_errno()
                if code in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EACCES):
                    continue
                raise OSError(code, os.strerror(code))
            self._folders[number] = folder
            with contextlib.suppress(OSError), os.scandir(folder) as entries:
                folders += [
                    entry.path
                    for entry in entries
                    if entry.is_dir(follow_symlinks=False) and entry.name not in self._skip
                ]

    @staticmethod
    def _checked(number: int) -> int:
        if number < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))
        return number
