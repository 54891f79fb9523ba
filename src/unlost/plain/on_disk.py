"""What lies on disk although no capture took it: files that are ignored since, or too large."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable
from typing import Final

from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Entry
from unlost.host.reading import Reader

NameOf = Callable[[bytes, bytes], str]
"""The id of an object of this kind with this content."""

_READ_LIMIT: Final = 64 << 20


def entries_on_disk(root: str, paths: Iterable[bytes], name_of: NameOf) -> dict[bytes, Entry]:
    """Those of the paths that are files or links now, read without following a link; over 64 MiB by size alone."""
    found: dict[bytes, Entry] = {}
    try:
        reader = Reader(root)
    except OSError:
        return found
    with reader:
        for path in paths:
            try:
                entry = _entry_on_disk(reader, path, name_of)
            except OSError:
                continue
            if entry is not None:
                found[path] = entry
    return found


def _entry_on_disk(reader: Reader, path: bytes, name_of: NameOf) -> Entry | None:
    status = reader.status(path)
    if stat.S_ISLNK(status.st_mode):
        return Entry(LINK, name_of(b"blob", reader.link_target(path)))
    if not stat.S_ISREG(status.st_mode):
        return None
    data = reader.read(path, _READ_LIMIT)
    mode = EXECUTABLE if status.st_mode & stat.S_IXUSR else REGULAR
    # Too large to read: it is there, and no content is known; an id of its size stands for it.
    return Entry(mode, name_of(b"blob", data if data is not None else b"%d" % status.st_size))
