"""Tree objects in process: parsed, walked, compared, and grown by a few changed paths."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol

from unlost.facts.trees import EXECUTABLE, LINK, NESTED, REGULAR, Change, Entry

FOLDER: Final = "40000"
_MODES: Final = {mode.encode(): mode for mode in (FOLDER, REGULAR, EXECUTABLE, LINK, NESTED)}

_ROWS: Final = {width: re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % width, re.DOTALL) for width in (20, 32)}
"""One entry of a tree, by the width of its raw id."""

TreeEntries = Mapping[bytes, Entry]
"""Name to entry in one folder; an entry of mode FOLDER is a tree."""


class TreeSource(Protocol):
    """Where trees are read from."""

    def tree(self, oid: str) -> TreeEntries:
        """The entries of a tree; the empty tree is always known. Raises UnlostError when it cannot be read."""


def parse_tree(data: bytes, width: int) -> dict[bytes, Entry]:
    """The entries of a tree object's content; `width` is that of a raw id. Raises ValueError for torn data."""
    rows = _ROWS[width].findall(data)
    if sum(len(mode) + len(name) for mode, name, _ in rows) + len(rows) * (width + 2) != len(data):
        raise ValueError("a tree ends within an entry")
    return {name: Entry(_MODES.get(mode) or mode.decode("ascii"), raw.hex()) for mode, name, raw in rows}


def tree_data(entries: TreeEntries) -> bytes:
    """A tree object's content, in git's order: folders sort as if their names ended in a slash."""
    order = sorted(entries, key=lambda name: _sort_key(name, entries[name]))
    return b"".join(
        b"%b %b\0%b" % (entries[name].mode.encode(), name, bytes.fromhex(entries[name].oid)) for name in order
    )


def folder_entries(source: TreeSource, root: str, folder: bytes) -> TreeEntries:
    """The entries of a folder (empty: the root); an empty mapping when there is no such folder."""
    entries = source.tree(root)
    for part in folder.split(b"/") if folder else ():
        entry = entries.get(part)
        if entry is None or entry.mode != FOLDER:
            return {}
        entries = source.tree(entry.oid)
    return entries


def find(source: TreeSource, root: str, path: bytes) -> Entry | None:
    """The entry at a path, a folder included; None when there is none."""
    folder, _, name = path.rpartition(b"/")
    return folder_entries(source, root, folder).get(name)


def find_file(source: TreeSource, root: str, path: bytes) -> Entry | None:
    """The file, link or nested repository at a path; None for a folder or nothing."""
    entry = find(source, root, path)
    return None if entry is None or entry.mode == FOLDER else entry


def walk(source: TreeSource, root: str, prefix: bytes = b"") -> Iterator[tuple[bytes, Entry]]:
    """Every file, link and nested repository of a tree with its path, bytewise by path."""
    entries = source.tree(root)
    for name in sorted(entries, key=lambda name: _sort_key(name, entries[name])):
        entry = entries[name]
        if entry.mode == FOLDER:
            yield from walk(source, entry.oid, prefix + name + b"/")
        else:
            yield prefix + name, entry


def difference(source: TreeSource, before: str, after: str, prefix: bytes = b"") -> Iterator[Change]:
    """What differs between two trees, bytewise by path; a folder that became a file gives all its paths."""
    if before == after:
        return
    old, new = source.tree(before), source.tree(after)
    unlike = [item for item in old.items() if new.get(item[0]) != item[1]]
    left_of = {_sort_key(name, entry): entry for name, entry in unlike}
    right_of = {_sort_key(name, entry): entry for name, entry in new.items() if old.get(name) != entry}
    for key in sorted(left_of.keys() | right_of.keys()):
        left, right = left_of.get(key), right_of.get(key)
        path = prefix + key
        if not key.endswith(b"/"):
            yield Change(path, left, right)
        elif left is None or right is None:
            whole = walk(source, (left or right or _NOTHING).oid, path)
            for below, entry in whole:
                yield Change(below, entry if left else None, entry if right else None)
        else:
            yield from difference(source, left.oid, right.oid, path)


def grow(
    source: TreeSource,
    keep: Callable[[bytes], str],
    root: str,
    changes: Mapping[bytes, Entry | None],
) -> str:
    """Make the tree that differs from `root` by `changes`, and return its id.

    `keep` stores a tree's content and returns its id. None removes a path; removing what is not there is
    harmless. A folder entry as a value puts a whole subtree there; changes below it are applied to that.
    A folder that is left empty vanishes, as git knows none.
    """
    return _grow(source, keep, root, changes) or keep(b"")


def _grow(
    source: TreeSource, keep: Callable[[bytes], str], root: str | None, changes: Mapping[bytes, Entry | None]
) -> str | None:
    entries = dict(source.tree(root)) if root else {}
    below: dict[bytes, dict[bytes, Entry | None]] = {}
    for path, value in changes.items():
        name, _, rest = path.partition(b"/")
        if rest:
            below.setdefault(name, {})[rest] = value
        elif value is not None:
            entries[name] = value
        elif name in entries and entries[name].mode != FOLDER:
            del entries[name]
    for name, inner in below.items():
        entry = entries.get(name)
        old = entry.oid if entry is not None and entry.mode == FOLDER else None
        if old is None and not any(inner.values()):
            continue
        new = _grow(source, keep, old, inner)
        if new is None:
            entries.pop(name, None)
        else:
            entries[name] = Entry(FOLDER, new)
    return keep(tree_data(entries)) if entries else None


_NOTHING: Final = Entry(FOLDER, "")


def _sort_key(name: bytes, entry: Entry) -> bytes:
    return name + b"/" if entry.mode == FOLDER else name
