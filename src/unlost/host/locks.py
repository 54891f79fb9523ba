"""A lock between processes that the system frees when its last holder dies."""

from __future__ import annotations

import fcntl
import os
import time
from types import TracebackType
from typing import Final, Self

from unlost.facts.errors import TryLater, UnlostBug

_ASK_EVERY: Final = 0.02


class FileLock:
    """An exclusive `flock` on a file, which is made when missing and never removed.

    The lock belongs to the open descriptor: a child that inherits `descriptor` keeps it held when this
    process is killed. Another `FileLock` on the same file waits, also within one process.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._descriptor: int | None = None

    @property
    def descriptor(self) -> int:
        """The open descriptor, to be handed to children; only while held."""
        if self._descriptor is None:
            raise UnlostBug(f"the lock {os.path.basename(self.path)} is not held")
        return self._descriptor

    @property
    def held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    def acquire(self, wait: float | None = None) -> None:
        """Take the lock, waiting at most this many seconds (None: for ever). Raises TryLater.

        Who only looks whether it is held is waited for beyond that.
        """
        if self._descriptor is not None:
            raise UnlostBug(f"the lock {os.path.basename(self.path)} is held already")
        descriptor = self._open()
        try:
            _lock(descriptor, wait)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def is_held_elsewhere(self) -> bool:
        """Whether anybody holds the lock now, this object too. A look is in the way of no other, and of no taker."""
        descriptor = self._open()
        try:
            return not _has_share(descriptor)
        finally:
            os.close(descriptor)

    def release(self) -> None:
        """Free the lock, unless a child that inherited the descriptor still runs. Harmless when not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)

    def __enter__(self) -> Self:
        if self._descriptor is None:
            self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _lock(descriptor: int, wait: float | None) -> None:
    if wait is None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return
    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline and not _has_share(descriptor):
                raise TryLater("another process of unlost works on this; nothing was changed") from None
            # A share of our own would keep others from the lock while we sleep.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
            time.sleep(_ASK_EVERY)
        else:
            return


def _has_share(descriptor: int) -> bool:
    """Take a share of the lock, as those have who only look; False when somebody holds the whole."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
