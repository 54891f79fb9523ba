"""How the guard sees contents and the user's repository: two Protocols that the composition fills."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol

from unlost.facts.records import dataclass
from unlost.facts.trees import LINK, NESTED, Change, Entry
from unlost.guard.facts import Claim, Tip
from unlost.hunks.text import Text, is_binary

TEXT_LIMIT: Final = 4 << 20
"""Larger contents are not compared line by line."""


class TreeReader(Protocol):
    """Reads what snapshots hold."""

    def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """Paths that differ between two trees, in bytewise order."""

    def entry(self, tree: str, path: bytes) -> Entry | None:
        """One file of a tree; None when it is not in it."""

    def content(self, oid: str, limit: int) -> bytes | None:
        """A captured content; None when it has more than `limit` bytes, or no capture holds it."""


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A path that does not hold what it should: what is claimed, what stands there, and since which boundary.

    `base` is what HEAD held when the claim was made.
    """

    path: bytes
    claimed: Entry | None
    now: Entry | None
    since: int
    base: Entry | None = None


@dataclass(frozen=True, kw_only=True)
class Trace:
    """What the user's repository knows about a suspect.

    `earlier`: the present content is a version that was in history or in a reflog before the claim. `put_aside`: the
    stash or the index held it at this path at the boundary that the claim is from. `tip`: a live
    branch whose tip holds the claimed content at this path. `kept_since`: (commit, blob) of each commit that was made
    since the claim, is reachable from HEAD and changed the path, newest first; no blob where it deleted the path.
    """

    earlier: bool = False
    put_aside: bool = False
    tip: Tip | None = None
    kept_since: tuple[tuple[str, str | None], ...] = ()


NO_TRACE: Final = Trace()


@dataclass(frozen=True, kw_only=True)
class GonePath:
    """A path that a vanished commit or stash changed: its blobs before and after, and whether `after` lives on."""

    path: bytes
    before: str | None
    after: str | None
    lives: bool


@dataclass(frozen=True, kw_only=True)
class GoneCommit:
    """A commit that was reachable at the boundary and is not now.

    `after` of its paths is what the branch tip held; `paths` is None when its objects are gone too, and then all that
    lies `below` counts (the whole tree, or a nested repository). `twin` is a reachable commit with the same patch,
    `successor` one that an amend or a rebase made of it.
    """

    commit: str
    subject: str
    was_on: str
    on_head: bool
    paths: tuple[GonePath, ...] | None
    twin: str | None = None
    successor: str | None = None
    below: bytes = b""


@dataclass(frozen=True, kw_only=True)
class GoneStash:
    """A stash entry that was there at the boundary and is not now; `paths` None: it cannot be read any more."""

    commit: str
    subject: str
    paths: tuple[GonePath, ...] | None


class Evidence(Protocol):
    """What lies outside the snapshots; asked only when something does not stand or HEAD or refs moved."""

    def beside(self, paths: Iterable[bytes]) -> Mapping[bytes, Entry]:
        """Those of the paths that lie on disk although no capture took them (ignored since, too large)."""

    def trace(self, suspects: Sequence[Suspect]) -> Mapping[bytes, Trace]:
        """What the repository knows about each suspect; a path left out is unknown to it."""

    def gone_commits(self) -> tuple[GoneCommit, ...]:
        """Commits that local branches or HEAD reached at the newest boundary, and that nothing live reaches now."""

    def gone_stashes(self) -> tuple[GoneStash, ...]:
        """Stash entries that went since the newest boundary."""

    def content(self, oid: str, limit: int) -> bytes | None:
        """A blob of the user's repository; None when it is gone or has more than `limit` bytes."""


class Sight:
    """A reader with the texts that rows compare, each read once."""

    def __init__(self, reader: TreeReader, evidence: Evidence) -> None:
        self.reader = reader
        self.evidence = evidence
        self._texts: dict[str, Text | None] = {}

    def text(self, entry: Entry | None) -> Text | None:
        """An entry's content as text: empty for an absent file, None for links, binary and large contents."""
        if entry is None:
            return Text(b"")
        if entry.mode in (LINK, NESTED):
            return None
        if entry.oid not in self._texts:
            self._texts[entry.oid] = _as_text(self.data(entry))
        return self._texts[entry.oid]

    def data(self, entry: Entry) -> bytes | None:
        """The bytes of a file, text or not; None for links and large contents."""
        return None if entry.mode in (LINK, NESTED) else self.reader.content(entry.oid, TEXT_LIMIT)

    def blob(self, oid: str) -> Text | None:
        """A blob of the user's repository as text."""
        return _as_text(self.evidence.content(oid, TEXT_LIMIT))


def _as_text(data: bytes | None) -> Text | None:
    return None if data is None or is_binary(data) else Text(data)


def suspect_of(claim: Claim, now: Entry | None) -> Suspect:
    """The question a claim asks of the repository."""
    return Suspect(path=claim.path, claimed=claim.entry, now=now, since=claim.since, base=claim.base)
