"""Trees of precious ignored files that are named here and are at another place: they count as empty.

A snapshot that came from elsewhere names the ignored files of its origin, but they travel only when a person asks.
Nothing here can be claimed of them, and nothing lost.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from unlost.git.refs import is_oid
from unlost.host.reading import read_regular, write_atomically
from unlost.snapshot.layout import Layout

_NAME: Final = "stayed-home"
_LARGEST: Final = 16 << 20


def stayed_home(layout: Layout) -> frozenset[str]:
    """The ids of the trees that this machine has only the names of; one look for a file where nothing ever came."""
    lines = (read_regular(_file(layout), _LARGEST) or b"").decode("ascii", "replace").split()
    return frozenset(line for line in lines if is_oid(line))


def note_stayed_home(layout: Layout, *, absent: Iterable[str], arrived: Iterable[str]) -> None:
    """Put down which trees did not come along, and which have since. The caller holds the capture lock."""
    before = stayed_home(layout)
    after = (before | frozenset(absent)) - frozenset(arrived)
    if after != before:
        write_atomically(_file(layout), "".join(f"{tree}\n" for tree in sorted(after)).encode(), durable=True)


def _file(layout: Layout) -> str:
    return os.path.join(layout.workspace_folder, _NAME)
