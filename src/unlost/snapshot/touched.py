"""What somebody changed in a throw-away checkout: its files against the tree it was made of, by content."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import Final

from unlost.facts.trees import EXECUTABLE, LINK, NESTED, Entry
from unlost.git.formats import format_of
from unlost.host.folders import Folder
from unlost.host.writing import remove_tree
from unlost.snapshot.checkout import Trees

_PIECE: Final = 1 << 20


def touched_paths(trees: Trees, tree: str, root: str) -> tuple[bytes, ...]:
    """The paths, bytewise, that were added, changed or removed below `root` since it held `tree`.

    A folder that nobody can look into counts as one changed path. Raises what `trees` raises.
    """
    entries = {path: entry for path, entry in trees.walk(tree) if entry.mode != NESTED}
    touched: set[bytes] = set()
    with Folder.open(root) as folder:
        present = set()
        for path in _files(folder, touched):
            present.add(path)
            if not _holds(folder, path, entries.get(path)):
                touched.add(path)
    return tuple(sorted(touched | (entries.keys() - present)))


def remove_checkout(parent: str, name: str) -> None:
    """Remove a checkout that a killed process left behind; harmless when there is none."""
    if os.path.isdir(parent):
        with Folder.open(parent) as folder:
            remove_tree(folder, os.fsencode(name))


def _files(root: Folder, closed: set[bytes]) -> Iterator[bytes]:
    """Every path that is no folder; folders that cannot be opened go into `closed`."""
    waiting = [b""]
    while waiting:
        path = waiting.pop()
        try:
            with root.below(path) as here:
                names = [(name, here.status(name)) for name in here.names()]
        except OSError:
            closed.add(path)
            continue
        for name, status in names:
            inner = path + b"/" + name if path else name
            if status is not None and stat.S_ISDIR(status.st_mode):
                waiting.append(inner)
            else:
                yield inner


def _holds(root: Folder, path: bytes, entry: Entry | None) -> bool:
    """Whether a path is what the tree says: kind, execution bit, content."""
    if entry is None:
        return False
    holder, name = root.holding(path)
    with holder:
        status = holder.status(name)
        if status is None:
            return False
        try:
            if stat.S_ISLNK(status.st_mode):
                return entry.mode == LINK and _oid(entry, holder.link_target(name)) == entry.oid
            if not stat.S_ISREG(status.st_mode) or entry.mode == LINK:
                return False
            executable = bool(status.st_mode & 0o100)
            return executable == (entry.mode == EXECUTABLE) and _oid_of_file(entry, holder, name) == entry.oid
        except OSError:
            return False


def _oid(entry: Entry, data: bytes) -> str:
    return format_of(entry.oid).name_of(b"blob", data)


def _oid_of_file(entry: Entry, folder: Folder, name: bytes) -> str:
    descriptor = folder.open_file(name)
    try:
        made = format_of(entry.oid).new(b"blob %d\0" % os.fstat(descriptor).st_size)
        while piece := os.read(descriptor, _PIECE):
            made.update(piece)
    finally:
        os.close(descriptor)
    return made.hexdigest()
