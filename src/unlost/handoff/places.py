"""What verifying asks of the world, as two small Protocols; `tree.py`, `forensics.py` and the app answer them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, Protocol

from unlost.facts.records import dataclass
from unlost.handoff.report import Context, Place

CONTENT_LIMIT: Final = 4 << 20
"""Bytes of a file, or of a kept content, that is looked into; a larger one holds no fix that anybody would write."""


@dataclass(frozen=True, kw_only=True)
class Present:
    """What stands at a path now, and what HEAD has there.

    `content` is None where no regular file stands; `obstructed` says that something else does: a folder, a link, a
    special file, or a file over the limit. `tracked`: in HEAD or in the index. `unmerged`: git has a conflict there.
    """

    content: bytes | None = None
    head: bytes | None = None
    obstructed: bool = False
    tracked: bool = False
    unmerged: bool = False

    @property
    def missing(self) -> bool:
        """Whether nothing at all stands there."""
        return self.content is None and not self.obstructed

    @property
    def modified(self) -> bool:
        """Whether a file stands there that differs from HEAD's by more than its line ends."""
        if self.content is None or self.head is None:
            return self.content is not None
        return self.content.replace(b"\r\n", b"\n") != self.head.replace(b"\r\n", b"\n")


@dataclass(frozen=True, kw_only=True)
class Held:
    """One version of a path in a place that changed it."""

    path: bytes
    place: Place


class Tree(Protocol):
    """The work tree as it is."""

    def present(self, paths: Collection[bytes]) -> Mapping[bytes, Present]:
        """What stands at each of these paths. Raises UnlostError when one cannot be read."""


class Store(Protocol):
    """Places that may keep content which the work tree lost: own snapshots, or what git still holds."""

    def held(self, paths: Collection[bytes]) -> Iterable[Held]:
        """Versions of these paths in places that changed them, best first for each path."""

    def strays(self) -> Iterable[str]:
        """Ids of contents that have lost their name, such as edits that were staged and then reset."""

    def contents(self, oids: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """Blobs with their content, in any order and one at a time; missing and too large ones are left out."""

    def context(self) -> Context:
        """What to show beside the report."""
