"""When a file's status proves that its content is unchanged."""

from __future__ import annotations

import os
import time
from typing import Final

Stamp = tuple[int, int, int, int, int]
"""(modified ns, changed ns, size, inode, mode) of a file."""

_SECOND: Final = 1_000_000_000
# A write within the same tick of the file system's clock leaves the same stamp. Kernels tick at least every 10 ms;
# a stamp without a fraction comes from a file system that counts whole seconds.
_TICK: Final = 20_000_000
_COARSE_TICK: Final = 2 * _SECOND


def stamp_of(status: os.stat_result) -> Stamp:
    """What must be equal for content to count as unchanged."""
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode)


def settled_stamp(status: os.stat_result, now: int) -> Stamp | None:
    """The stamp when any write after `now` must change it; None when one could hide.

    `now` is of `file_clock`, taken before the content was read.
    """
    newest = max(status.st_mtime_ns, status.st_ctime_ns)
    tick = _COARSE_TICK if newest % _SECOND == 0 else _TICK
    return stamp_of(status) if newest + tick < now else None


def file_clock() -> int:
    """Nanoseconds since 1970 on the clock that local file systems stamp with.

    Not the injected clock: it is compared with what the kernel writes, and with nothing else.
    """
    return time.time_ns()


def stamp_at(path: str) -> Stamp | None:
    """The stamp of a path itself, never of what a link leads to; None when there is nothing to ask."""
    try:
        return stamp_of(os.lstat(path))
    except OSError:
        return None
