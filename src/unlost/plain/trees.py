"""What snapshots hold, with nested repositories opened up: `guard.sight.TreeReader` over an archive.

A snapshot's tree names a nested repository by a snapshot of its own; here its files stand among the others, under its
path. The base of a snapshot is named `BASE@TREE`, because what a nested repository's HEAD holds is found through the
tree. Where nothing is nested both are plain trees and cost nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from unlost.facts.errors import UsageError
from unlost.facts.paths import folders_above
from unlost.facts.trees import NESTED, Change, Entry
from unlost.git.formats import format_of
from unlost.guard.facts import Present
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable, Surroundings

_REMEMBERED: Final = 16 << 20
"""Bytes of contents that are remembered for one command."""


class NestedAt(NamedTuple):
    """How a nested repository stood, and the commit that the outer HEAD records for it (None: it is no submodule)."""

    surroundings: Surroundings
    recorded: str | None

    @property
    def head(self) -> str | None:
        """Its HEAD."""
        return self.surroundings.head


def base_of(snapshot: Snapshot) -> str:
    """The name of a snapshot's base."""
    return f"{snapshot.base}@{snapshot.tree}"


def private_of(snapshot: Snapshot) -> str:
    """The tree of a snapshot's ignored files, the empty one when it has none."""
    return snapshot.private or format_of(snapshot.tree).empty_tree


def present_of(snapshot: Snapshot) -> Present:
    """A snapshot as the present that claims are held against."""
    return Present(
        tree=snapshot.tree,
        base=base_of(snapshot),
        private=private_of(snapshot),
        unread={each.path: each.reason for each in snapshot.incomplete},
    )


def nothing_like(tree: str) -> Present:
    """The present of a root that is gone; `tree` tells the object format."""
    empty = format_of(tree.partition("@")[0]).empty_tree
    return Present(tree=empty, base=empty, private=empty)


class Trees:
    """Reads trees of one workspace and of the repositories nested in it. Raises SnapshotUnreadable."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self._nested: dict[bytes, Archive] = {}
        self._nested_in = cache(self._find_nested)
        self._outer_changes = cache(archive.changes)
        self._known: dict[tuple[str, bytes], Entry | None] = {}
        self._changes: dict[tuple[str, str], tuple[Change, ...]] = {}
        self._contents: dict[str, bytes] = {}
        self._room = _REMEMBERED

    def close(self) -> None:
        """Close the archives of nested repositories."""
        for archive in self._nested.values():
            archive.close()

    def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """Paths that differ between two trees, in bytewise order; asked for by every step of a verdict, found once."""
        if before == after:
            return ()
        key = (before, after)
        if key not in self._changes:
            self._changes[key] = self._find_changes(before, after)
        return self._changes[key]

    def _find_changes(self, before: str, after: str) -> tuple[Change, ...]:
        flat: list[Change] = []
        nested: dict[bytes, None] = {}
        for change in self._outer_changes(_root(before), _root(after)):
            old, new = (_not_nested(entry) for entry in (change.before, change.after))
            if old is not change.before or new is not change.after:
                nested[change.path] = None
            if old is not None or new is not None:
                flat.append(Change(change.path, old, new))
        for name in (before, after):
            if "@" in name:
                nested |= dict.fromkeys(self._nested_in(name))
        for path in nested:
            flat += self._changes_below(path, before, after)
        return tuple(sorted(flat, key=lambda change: change.path)) if nested else tuple(flat)

    def entry(self, tree: str, path: bytes) -> Entry | None:
        """One file of a tree; None when it is not in it."""
        found = _not_nested(self._plain_entry(_root(tree), path))
        if found is not None or not self.archive.has_nested:
            return found
        for place in reversed([*folders_above(path)]):
            if place in self._nested or self._is_nested(tree, place):
                inner = self._inner(tree, place)
                return None if inner is None else self._open(place).entry(inner, path[len(place) + 1 :])
        return None

    def held(self, snapshot: Snapshot | None, path: bytes) -> Entry | None:
        """What a snapshot holds at a path, among the ignored files too; None for no snapshot."""
        if snapshot is None:
            return None
        found = self.entry(snapshot.tree, path)
        return self.entry(snapshot.private, path) if found is None and snapshot.private is not None else found

    def content(self, oid: str, limit: int) -> bytes | None:
        """A captured content; None when it has more than `limit` bytes, or no capture holds it."""
        data = self._contents.get(oid)
        if data is not None:
            return data if len(data) <= limit else None
        for archive in (self.archive, *self._nested.values()):
            try:
                data = archive.content(oid, limit)
            except SnapshotUnreadable:
                continue
            if len(data) <= self._room:
                # A verdict looks at the same few contents from many sides.
                self._contents[oid] = data
                self._room -= len(data)
            return data
        return None

    def sizes(self, oids: Iterable[str]) -> dict[str, int]:
        """The sizes in bytes of those contents that a capture holds."""
        wanted, found = set(oids), dict[str, int]()
        for archive in (self.archive, *self._nested.values()):
            found |= archive.sizes(wanted - found.keys()) if wanted - found.keys() else {}
        return found

    def whole(self, oid: str) -> bytes:
        """A captured content of any size. Raises SnapshotUnreadable when no capture holds it."""
        failure: SnapshotUnreadable | None = None
        for archive in (self.archive, *self._nested.values()):
            try:
                return archive.content(oid)
            except SnapshotUnreadable as error:
                failure = failure or error
        raise failure or SnapshotUnreadable(f"the content {oid[:12]} is in no snapshot")

    def walk(self, tree: str) -> Iterator[tuple[bytes, Entry]]:
        """Every file of a tree, nested repositories' files after their folder's neighbours."""
        for path, entry in self.archive.walk(_root(tree)):
            if entry.mode != NESTED:
                yield path, entry
                continue
            inner = self._inner(tree, path)
            if inner is not None:
                for below, found in self._open(path).walk(inner):
                    yield path + b"/" + below, found

    def nested(self, base: str) -> dict[bytes, NestedAt]:
        """The repositories nested in the tree that a base goes with, by path."""
        root, _, tree = base.partition("@")
        found: dict[bytes, NestedAt] = {}
        for path in self._nested_in(base) if tree else ():
            inner, recorded = self.archive.entry(tree, path), self.archive.entry(root, path)
            snapshot = None if inner is None else self._snapshot(path, inner.oid)
            if snapshot is not None:
                link = recorded.oid if recorded is not None and recorded.mode == NESTED else None
                found[path] = NestedAt(surroundings=snapshot.surroundings, recorded=link)
        return found

    def _plain_entry(self, tree: str, path: bytes) -> Entry | None:
        """An entry of the outer tree, remembered: many boundaries have one base."""
        key = (tree, path)
        if key not in self._known:
            self._known[key] = self.archive.entry(tree, path)
        return self._known[key]

    def _changes_below(self, path: bytes, before: str, after: str) -> Iterator[Change]:
        old, new = self._inner(before, path), self._inner(after, path)
        if old is None and new is None:
            return
        archive = self._open(path)
        empty = format_of(old or new or "").empty_tree
        for change in archive.changes(old or empty, new or empty):
            if not any(entry is not None and entry.mode == NESTED for entry in (change.before, change.after)):
                yield Change(path + b"/" + change.path, change.before, change.after)

    def _inner(self, tree: str, path: bytes) -> str | None:
        """The tree, or for a base the base, of the nested repository at a path; None when it has no snapshot there."""
        base, _, beside = tree.partition("@")
        entry = self.archive.entry(beside or base, path)
        if entry is None or entry.mode != NESTED:
            return None
        snapshot = self._snapshot(path, entry.oid)
        if snapshot is None:
            return None
        return snapshot.base if beside else snapshot.tree

    def _snapshot(self, path: bytes, oid: str) -> Snapshot | None:
        """The snapshot that a tree names for a nested repository; None for a commit of the repository itself."""
        try:
            return self._open(path).find(oid)
        except (UsageError, SnapshotUnreadable):
            return None

    def _find_nested(self, base: str) -> tuple[bytes, ...]:
        """Paths of nested repositories in the tree that a base goes with: there the two always differ."""
        if not self.archive.has_nested:
            return ()
        root, _, tree = base.partition("@")
        return tuple(
            change.path
            for change in self._outer_changes(root, tree)
            if change.after is not None and change.after.mode == NESTED
        )

    def _is_nested(self, tree: str, place: bytes) -> bool:
        entry = self.archive.entry(tree.partition("@")[2] or tree, place)
        return entry is not None and entry.mode == NESTED

    def _open(self, path: bytes) -> Archive:
        if path not in self._nested:
            self._nested[path] = self.archive.nested(path)
        return self._nested[path]


def _root(tree: str) -> str:
    return tree.partition("@")[0]


def _not_nested(entry: Entry | None) -> Entry | None:
    return None if entry is None or entry.mode == NESTED else entry
