"""What a restore is asked for, what it does about it, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from unlost.facts.errors import UnlostError
from unlost.facts.records import dataclass
from unlost.facts.trees import Entry
from unlost.snapshot.present import FileTraits

Kept = Callable[[bytes], Entry | None]
"""What the snapshot of the present, taken just before, holds at a path (private files included)."""


class Contents(Protocol):
    """Where the bytes of a blob come from."""

    def content(self, oid: str) -> bytes:
        """The whole content; raises an UnlostError when it is not there or damaged."""


class RestoreFailed(UnlostError):
    """A restore could not begin; nothing in the folder was changed."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """How a path should be: a file or link of the snapshot, or gone (None).

    `private`: a precious ignored file; made readable for its owner only where no file shows what it was.
    """

    path: bytes
    entry: Entry | None
    private: bool = False


@dataclass(frozen=True, kw_only=True)
class Step:
    """One change of one name: put a staged file there, or take away what is there.

    `expected` is what must still be there (None: nothing) for the step to be done; `prove` is its content, to be
    read once more where a late write would not show in the traits. `displaced`: not asked for itself; it makes
    room for another path.
    """

    path: bytes
    entry: Entry | None
    expected: FileTraits | None
    prove: Entry | None = None
    private: bool = False
    displaced: bool = False


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A path that a restore left as it was, and why.

    Reasons: `changed` (since the snapshot of the present), `not_captured` (restoring would destroy what no
    snapshot holds), `unreadable`, `special`, `nested_repository`, `name_collision` (two wanted names are one on
    this file system, one is a folder of the other, or a path is wanted twice), `missing_object`, `invalid_path`, else
    the system's words.
    """

    path: bytes
    reason: str


@dataclass(frozen=True, kw_only=True)
class Placed:
    """How a restore ended; paths in bytewise order, each path asked for in exactly one of the first three.

    `displaced` were taken away to make room; the snapshot of the present holds them.
    """

    restored: tuple[bytes, ...]
    already: tuple[bytes, ...]
    failed: tuple[Failure, ...]
    displaced: tuple[bytes, ...] = ()
