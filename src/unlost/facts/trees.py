"""Files as git trees hold them, and what differs between two trees."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

REGULAR: Final = "100644"
EXECUTABLE: Final = "100755"
LINK: Final = "120000"
NESTED: Final = "160000"


class Entry(NamedTuple):
    """One file of a tree: git's mode as text, and the blob's object id as lower-case hex."""

    mode: str
    oid: str


class Change(NamedTuple):
    """One path that differs between two trees; None where the path is absent."""

    path: bytes
    before: Entry | None
    after: Entry | None


def changed_paths(changes: Iterable[Change]) -> tuple[bytes, ...]:
    """The paths of a list of changes, in its order."""
    return tuple(change.path for change in changes)
