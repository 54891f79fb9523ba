"""What became of committed work: the facts that `guard.committed` finds."""

from __future__ import annotations

from typing import Literal

from unlost.facts.records import dataclass
from unlost.guard.facts import Finding, LostObject


@dataclass(frozen=True, kw_only=True)
class CommittedWarning:
    """A committed path that was deleted or is back at an older version; `commit` is the one that did it, if any."""

    path: bytes
    state: Literal["deleted", "reverted"]
    commit: str | None


@dataclass(frozen=True, kw_only=True)
class RewrittenCommit:
    """A commit that nothing reaches any more, and the reachable one that took its place."""

    commit: str
    subject: str
    now: str


@dataclass(frozen=True, kw_only=True)
class Committed:
    """What became of work that claims do not cover."""

    lost: tuple[Finding, ...] = ()
    warnings: tuple[CommittedWarning, ...] = ()
    lost_commits: tuple[LostObject, ...] = ()
    rewritten: tuple[RewrittenCommit, ...] = ()
    lost_stashes: tuple[LostObject, ...] = ()
    applied_stashes: tuple[str, ...] = ()
    changed: tuple[bytes, ...] = ()
    added: tuple[bytes, ...] = ()
