"""Renames that Python lacks: swap two names at once, and move to a name that must be free.

Both close the moment between looking at a name and replacing it. Linux has them as `renameat2`, macOS as
`renameatx_np`; where the file system lacks them (some network and FUSE ones) the callers are told.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache
from typing import Final

from unlost.host.folders import Folder

if sys.platform == "darwin":
    _SYMBOL, _EXCHANGE, _NO_REPLACE = "renameatx_np", 2, 4
else:
    _SYMBOL, _EXCHANGE, _NO_REPLACE = "renameat2", 2, 1

_LACKING: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})


def exchange(source: Folder, name: bytes, target: Folder, target_name: bytes) -> bool:
    """Swap what two names hold, in one step; False when the system or the file system cannot.

    OSError when one of them does not exist or they are on two file systems (EXDEV).
    """
    return _rename(source, name, target, target_name, _EXCHANGE)


def move_new(source: Folder, name: bytes, target: Folder, target_name: bytes) -> None:
    """Move to a name that must be free; FileExistsError, and nothing moved, when something has it."""
    if _rename(source, name, target, target_name, _NO_REPLACE):
        return
    # A second name for the same file, then the first one away: creates only, on any system that has hard links.
    os.link(name, target_name, src_dir_fd=source.descriptor, dst_dir_fd=target.descriptor, follow_symlinks=False)
    os.unlink(name, dir_fd=source.descriptor)


def move(source: Folder, name: bytes, target: Folder, target_name: bytes) -> None:
    """Move over whatever file or link has the target's name; the replaced one's other hard links stay as they are."""
    os.rename(name, target_name, src_dir_fd=source.descriptor, dst_dir_fd=target.descriptor)


def _rename(source: Folder, name: bytes, target: Folder, target_name: bytes, flags: int) -> bool:
    call = _system_call(_SYMBOL)
    if call is None:
        return False
    if call(source.descriptor, name, target.descriptor, target_name, flags) == 0:
        return True
    number = ctypes.get_errno()
    if number in _LACKING:
        return False
    raise OSError(number, os.strerror(number), os.fsdecode(target_name))


@cache
def _system_call(symbol: str) -> Callable[..., int] | None:
    """A function of the system's C library; None where it has none of that name."""
    return getattr(ctypes.CDLL(None, use_errno=True), symbol, None)
