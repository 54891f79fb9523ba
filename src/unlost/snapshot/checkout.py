"""A tree of the store as a folder of its own: for protected checks, review and research; thrown away afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, Protocol

from unlost.facts.paths import check_path
from unlost.facts.trees import EXECUTABLE, LINK, NESTED, Entry
from unlost.host.folders import Folder
from unlost.host.ids import NewId, new_id
from unlost.host.writing import remove_tree, write_new_file, write_new_link
from unlost.snapshot.wanted import Contents

_READ_ONLY_FOLDER: Final = 0o555


class Trees(Contents, Protocol):
    """What a checkout needs of an archive."""

    def walk(self, tree: str) -> Iterable[tuple[bytes, Entry]]:
        """Every path of a tree with its entry."""


@contextmanager
def checkout(
    trees: Trees,
    tree: str,
    *,
    parent: str,
    instead: Mapping[bytes, Entry | None] | None = None,
    writable: bool = False,
    new_id: NewId = new_id,
) -> Iterator[str]:
    """A folder below `parent` (an existing folder of unlost's own) that holds a tree; gone when the block ends.

    `instead` replaces or (None) leaves out single paths. Files are read-only unless `writable`. Nested
    repositories are left out. Raises what `trees` raises, ValueError for a tree with an impossible path, OSError.
    """
    entries = {path: entry for path, entry in trees.walk(tree) if entry.mode != NESTED}
    for path, entry in (instead or {}).items():
        entries.pop(path, None)
        if entry is not None:
            entries[path] = entry
    name = os.fsencode(new_id("checkout"))
    with Folder.open(parent) as holder:
        try:
            with holder.inner(name, create=True) as root:
                write_files(root, entries, trees, read_only=not writable)
            yield os.path.join(parent, os.fsdecode(name))
        finally:
            remove_tree(holder, name)


def write_files(root: Folder, entries: Mapping[bytes, Entry], contents: Contents, *, read_only: bool = False) -> None:
    """Write files and links into an empty folder, links last; nothing is durable before the caller syncs.

    Raises ValueError for a path that is not one, FileExistsError when two paths are one on this file system.
    """
    links = sorted(path for path, entry in entries.items() if entry.mode == LINK)
    for path in (*sorted(entries.keys() - set(links)), *links):
        check_path(path)
        entry = entries[path]
        data = contents.content(entry.oid)
        holder, name = root.holding(path, create=True)
        with holder:
            if entry.mode == LINK:
                write_new_link(holder, name, data)
                continue
            executable = entry.mode == EXECUTABLE
            mode = (0o555 if executable else 0o444) if read_only else None
            write_new_file(holder, name, data, mode=mode, executable=executable)
    if read_only:
        _close_folders(root, entries)


def _close_folders(root: Folder, paths: Iterable[bytes]) -> None:
    """Let no name be added; the deepest folders first, for a closed one still lets through."""
    folders = {path[:end] for path in paths for end in range(len(path)) if path[end : end + 1] == b"/"}
    for folder in sorted(folders, key=len, reverse=True):
        with root.below(folder) as here:
            os.fchmod(here.descriptor, _READ_ONLY_FOLDER)
    os.fchmod(root.descriptor, _READ_ONLY_FOLDER)
