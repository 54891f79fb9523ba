"""What a snapshot is and says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.paths import folders_above
from unlost.facts.records import dataclass, field
from unlost.facts.words import IncompleteReason, SnapshotKind

MEBIBYTE: Final = 1 << 20


class CaptureFailed(UnlostError):
    """A step of a capture failed: nothing was recorded, and every earlier snapshot is whole."""


class SnapshotUnreadable(UnlostError):
    """A snapshot, or an object of one, is not in the store or is damaged."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a capture takes, in bytes and counts."""

    max_file: int = 50 * MEBIBYTE
    """Larger files are listed as too_big, not captured."""
    max_store: int = 5 << 30
    """At most this, or 5 % of the file system, whichever is less; a capture that would go beyond lists `budget`."""
    precious_size: int = MEBIBYTE
    """Larger ignored files are left out; they are not precious."""
    precious_count: int = 20_000
    """Ignored files beyond this number are left out and listed as `budget`."""
    include_ignored: tuple[str, ...] = ()
    """Patterns of ignored files that are captured like all others, whatever their size up to `max_file`."""
    exclude_ignored: tuple[str, ...] = ()
    """Patterns of ignored files that are never captured."""


@dataclass(frozen=True, kw_only=True)
class Incomplete:
    """A path that is not in a snapshot although it is in the work tree; `bytes` is its size where known."""

    path: bytes
    reason: IncompleteReason
    bytes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """The user's repository at the moment of a snapshot, read as data: ids are hex, names are full (`refs/…`).

    `head` is None while nothing is committed, `branch` None while HEAD is detached. `refs` are branches, remote
    branches and tags (peeled tags are not resolved). `stashes` are commit ids, the newest first. `worktrees` are
    the names of linked work trees. `operation`: merge, rebase, cherry-pick, revert, bisect or am.
    """

    head: str | None
    branch: str | None
    refs: Mapping[str, str]
    stashes: tuple[str, ...]
    worktrees: tuple[str, ...]
    operation: str | None


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """One captured work tree; `id` is a parentless commit in unlost's own store.

    `tree` holds every captured file. `base` is the tree of HEAD as this work tree holds it: where the bytes on
    disk are what git would store as HEAD's content (line ends, LFS, `$Id$`), those bytes stand in it, so that
    the changes from `base` to `tree` are what a person or an agent changed; the empty tree while HEAD is unborn.
    `private` is the tree of precious ignored files, None when there is none. `at`: seconds since 1970.
    `written`: bytes that the capture which just returned it put into the store; 0 for any other look at it.
    """

    id: str
    tree: str
    base: str
    private: str | None
    workspace: str
    sequence: int
    kind: SnapshotKind
    label: str
    at: float
    files: int
    incomplete: tuple[Incomplete, ...]
    surroundings: Surroundings
    written: int = field(default=0, compare=False)

    def missed(self, path: bytes) -> bool:
        """Whether a path, or a folder above it, could not be taken: what the tree has there says nothing."""
        if not self.incomplete:
            return False
        places = {path, *folders_above(path)}
        return any(each.path in places for each in self.incomplete)
