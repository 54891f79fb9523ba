"""What traces of content are, as facts."""

from __future__ import annotations

from collections.abc import Mapping

from unlost.facts.records import dataclass, field
from unlost.facts.trees import Entry
from unlost.facts.words import FoundIn


@dataclass(frozen=True, kw_only=True)
class ReflogEntry:
    """One line of a reflog; ids are None where git wrote zeros. `at` is in seconds since 1970."""

    ref: str
    before: str | None
    after: str | None
    at: int
    message: str


@dataclass(frozen=True, kw_only=True)
class Stash:
    """One stash entry, the newest having number 0, or a dropped one (`number` None).

    `changed` is what it holds that its base does not: the work tree's side, the staged side where that differs, and
    untracked files (`git stash -u`); None is a deletion. `branch` is the one named in its subject.
    """

    number: int | None
    commit: str
    base: str
    at: int
    subject: str
    branch: str | None
    changed: Mapping[bytes, Entry | None]
    untracked: frozenset[bytes] = frozenset()

    @property
    def name(self) -> str:
        """How people name it: `stash@{0}`, or the id of a dropped one."""
        return self.commit if self.number is None else f"stash@{{{self.number}}}"


@dataclass(frozen=True, kw_only=True)
class Version:
    """What a commit made of one path, and of what; None where the path is absent. `at` is the committer's time."""

    commit: str
    at: int
    path: bytes
    before: Entry | None
    entry: Entry | None


@dataclass(frozen=True, kw_only=True)
class Dangling:
    """An unreachable commit, and what it changed against its first parent."""

    commit: str
    at: int
    subject: str
    changed: Mapping[bytes, Entry | None]


@dataclass(frozen=True, kw_only=True)
class Elsewhere:
    """The places that hold exactly one wanted content: the words of contracts.md, and a name for each."""

    places: tuple[FoundIn, ...] = ()
    refs: Mapping[FoundIn, str] = field(default_factory=dict)
