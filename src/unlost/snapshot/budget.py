"""Keep a store within its bounds: the largest new files are left out first, and listed."""

from __future__ import annotations

import os
from typing import Final

from unlost.snapshot.facts import MEBIBYTE, Limits
from unlost.snapshot.layout import Layout
from unlost.snapshot.survey import Survey

_UNMEASURED: Final = 64 * MEBIBYTE
"""So much may be written between two measurements: measuring asks for every file of the store."""
_LEFT_FREE: Final = 64 * MEBIBYTE
_SHARE: Final = 20


def keep_within_budget(layout: Layout, survey: Survey, limits: Limits) -> None:
    """Take files out of `survey.fresh` until what is left fits, and list them as `budget`."""
    state = survey.state
    wanted = sum(each.status.st_size for each in survey.fresh)
    if state.written + wanted < _UNMEASURED:
        return
    size = store_size(layout.store)
    state.written, state.dirty = 0, True
    disk = os.statvfs(layout.store)
    most = min(limits.max_store, disk.f_blocks * disk.f_frsize // _SHARE)
    room = min(most - size, disk.f_bavail * disk.f_frsize - _LEFT_FREE)
    for each in sorted(survey.fresh, key=lambda fresh: fresh.status.st_size, reverse=True):
        if wanted <= room:
            return
        wanted -= each.status.st_size
        survey.leave_out(each)


def store_size(store: str) -> int:
    """Bytes of all objects in a store."""
    total = 0
    folders = [os.path.join(store, "objects")]
    while folders:
        with os.scandir(folders.pop()) as listing:
            for entry in listing:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    total += entry.stat(follow_symlinks=False).st_size
    return total
