"""What to wish for when a whole tree is to be as a snapshot has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from unlost.facts.trees import Change, Entry
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.wanted import Kept, Wanted


class Snapshots(Protocol):
    """What is needed of an archive."""

    def changes(self, before: str, after: str) -> Iterable[Change]:
        """What differs between two trees."""

    def walk(self, tree: str) -> Iterable[tuple[bytes, Entry]]:
        """Every path of a tree with its entry."""


def wishes_between(snapshots: Snapshots, now: Snapshot | None, then: Snapshot) -> tuple[Wanted, ...]:
    """What makes the work tree of `now` (None: an empty folder) that of `then`; the work of a rewind.

    Files made since are to go; what `then` could not take was there, and stays as it is now. Precious ignored files of
    `then` are to come back; those made since stay, for no tree ever held them.
    """
    private = dict(snapshots.walk(then.private)) if then.private is not None else {}
    differing: dict[bytes, Entry | None]
    if now is None:
        differing = dict(snapshots.walk(then.tree))
    else:
        differing = {change.path: change.after for change in snapshots.changes(now.tree, then.tree)}
    wishes = {path: Wanted(path=path, entry=entry) for path, entry in differing.items() if not then.missed(path)}
    # What an ignore rule hid then and does not now is in both: it is to be as it was, not to go.
    wishes |= {path: Wanted(path=path, entry=entry, private=True) for path, entry in private.items()}
    return tuple(wishes.values())


def kept_in(entry: Callable[[str, bytes], Entry | None], snapshot: Snapshot) -> Kept:
    """What a snapshot holds, its precious ignored files included; `entry` is the archive's look into a tree."""

    def look(path: bytes) -> Entry | None:
        found = entry(snapshot.tree, path)
        return entry(snapshot.private, path) if found is None and snapshot.private is not None else found

    return look
