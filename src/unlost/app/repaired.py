"""What an agent left in a writable checkout of a merged tree: read without following a link, kept over a kill."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Iterable
from typing import Final

from unlost.attempt.facts import AttemptEnd
from unlost.engine.maintenance_ports import Repaired
from unlost.facts.paths import check_path
from unlost.facts.quoting import canonical_json, path_from_json, path_json, path_text
from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Entry
from unlost.git.refs import is_oid
from unlost.git.trees import grow, walk
from unlost.host.reading import Reader, read_regular, write_atomically
from unlost.publish.rebase import RebaseFailed
from unlost.publish.store import PublishStore
from unlost.snapshot.touched import touched_paths

_LARGEST: Final = 50 << 20
_RECORD_LIMIT: Final = 16 << 20
_MARKED: Final = re.compile(rb"^(?:<{7} .*|>{7} .*)$", re.MULTILINE)


class Unreadable(Exception):
    """A path holds what no tree can hold."""


class StoreTrees:
    """Trees and contents of the publishing git dir, as checkouts need them."""

    def __init__(self, store: PublishStore) -> None:
        self._store = store

    def walk(self, tree: str) -> Iterable[tuple[bytes, Entry]]:
        """Every path of a tree. Raises RebaseFailed for one that no file can have: it is others' tree, too."""
        for path, entry in walk(self._store.objects, tree):
            try:
                check_path(path)
            except ValueError as error:
                raise RebaseFailed(f"the merged tree holds an impossible path: {path_text(path)}") from error
            yield path, entry

    def content(self, oid: str) -> bytes:
        """The content of a file."""
        return self._store.objects.read(oid).data


def left_in(store: PublishStore, tree: str, root: str, paths: tuple[bytes, ...], end: AttemptEnd) -> Repaired:
    """The checkout at `root` as a tree of the store; no tree when something in it cannot be in one, or is too large."""
    touched = touched_paths(StoreTrees(store), tree, root)
    changes: dict[bytes, Entry | None] = {}
    writer = store.writer()
    with Reader(root) as reader:
        marked = tuple(path for path in paths if _MARKED.search(reader.read(path, _LARGEST) or b""))
        try:
            for path in touched:
                changes[path] = _entry(reader, path, lambda data: writer.write(b"blob", data))
        except (Unreadable, ValueError, OSError):
            return Repaired(end=end, tree=None, touched=touched, marked=marked, spoiled=True)
    grown = grow(store.objects, writer.write_tree, tree, changes) if changes else tree
    writer.finish()
    return Repaired(end=end, tree=grown, touched=touched, marked=marked)


def keep_left(folder: str, identity: str, repaired: Repaired) -> None:
    """Keep it on disk, whole, for whoever settles this run after a kill."""
    facts = {
        "tree": repaired.tree,
        "spoiled": repaired.spoiled,
        "touched": [path_json(path) for path in repaired.touched],
        "marked": [path_json(path) for path in repaired.marked],
    }
    place = _record(folder, identity)
    os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
    write_atomically(place, canonical_json(facts), durable=True)


def kept_left(folder: str, identity: str, end: AttemptEnd) -> Repaired:
    """What was kept of a run; nothing is known where there is no whole record."""
    data = read_regular(_record(folder, identity), _RECORD_LIMIT)
    if data is None:
        return Repaired(end=end, tree=None)
    try:
        facts = json.loads(data)
        tree, spoiled = facts["tree"], facts["spoiled"] is True
        touched, marked = (tuple(path_from_json(name) for name in facts[key]) for key in ("touched", "marked"))
    except (ValueError, TypeError, KeyError):
        return Repaired(end=end, tree=None)
    known = tree if isinstance(tree, str) and is_oid(tree) else None
    return Repaired(end=end, tree=known, touched=touched, marked=marked, spoiled=spoiled)


def _record(folder: str, identity: str) -> str:
    return os.path.join(folder, "left", f"{identity}.json")


def _entry(reader: Reader, path: bytes, write: Callable[[bytes], str]) -> Entry | None:
    """The entry of one path as it stands; None when it is gone. Raises Unreadable, ValueError, OSError."""
    check_path(path)
    status = reader.status_or_none(path)
    if status is None:
        return None
    if stat.S_ISLNK(status.st_mode):
        return Entry(LINK, write(reader.link_target(path)))
    data = reader.read(path, _LARGEST) if stat.S_ISREG(status.st_mode) else None
    if data is None:
        raise Unreadable(path)
    return Entry(EXECUTABLE if status.st_mode & stat.S_IXUSR else REGULAR, write(data))
