"""What the guard knows and says: boundaries, claims, findings. Facts only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from unlost.facts.paths import folders_above
from unlost.facts.patterns import matches_any
from unlost.facts.records import dataclass, field
from unlost.facts.trees import Entry
from unlost.facts.words import BoundaryKind, ClaimState, IncompleteReason, Severity
from unlost.guard.known_contents import KnownContents

PERSON: Final = "person"
COMMIT: Final = "commit"
"""Owners that are no task: who stood before the run, and what was only in a lost commit."""

Mode = Literal["plain", "unit"]


@dataclass(frozen=True, kw_only=True)
class Boundary:
    """A moment at which control changed hands; `number` counts from 0 in a workspace.

    `private` is the empty tree when no ignored file was captured. `opened_by` is the boundary that opened the first
    attempt of the task that this one closes. `unit` is the unit that was open then, `attempt` the attempt that ended
    here or was running. `skipped` are paths that the snapshot could not take.
    """

    number: int
    kind: BoundaryKind
    snapshot: str
    tree: str
    base: str
    private: str
    at: float
    label: str = ""
    unit: str | None = None
    task: str | None = None
    attempt: str | None = None
    opened_by: int | None = None
    skipped: tuple[tuple[bytes, IncompleteReason], ...] = ()

    @property
    def owner(self) -> str | None:
        """Who claims what stands here: a person, the task that was done, or nobody."""
        if self.kind == "admission" or (self.kind == "mark" and self.attempt is None):
            return PERSON
        return self.task if self.kind == "after_task" else None


@dataclass(frozen=True, kw_only=True)
class Contribution:
    """What one owner made of a path: from one content to another."""

    owner: str
    before: Entry | None
    after: Entry | None


@dataclass(frozen=True, kw_only=True)
class OpenLoss:
    """A claim was found lost at a boundary, during an attempt or between boundaries; open until back or accepted."""

    state: ClaimState
    boundary: int
    during: str | None = None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What a path is to hold: `entry`, made at boundary `since`, last found standing at boundary `seen`.

    `entry` is None for a deletion. `base` is what HEAD held: None for an untracked file. `now` is what stood at the
    path at the newest boundary. An ignored path is claimed for existence only; of one that was not captured
    (`captured` false, over a limit) no content is known.
    """

    path: bytes
    owner: str
    entry: Entry | None
    base: Entry | None
    since: int
    seen: int
    now: Entry | None
    contributions: tuple[Contribution, ...] = ()
    opened: OpenLoss | None = None
    ignored: bool = False
    captured: bool = True
    accepted: bool = False

    @property
    def stood(self) -> bool:
        """Whether it was as claimed at the newest boundary, and nothing but the path's content has to be looked at."""
        return self.now == self.entry and self.captured and not (self.opened or self.accepted)


@dataclass(frozen=True, kw_only=True)
class Claims:
    """All open claims as of the newest boundary; a fold over boundaries, acceptances and restores.

    `meant` are paths without a claim, and ids of commits and stash entries, that a person accepted since then.
    `known_contents` are all that stood anywhere since the first boundary, but for what HEAD held there.
    """

    boundaries: tuple[Boundary, ...] = ()
    by_path: Mapping[bytes, Claim] = field(default_factory=dict)
    lost_commits: tuple[LostObject, ...] = ()
    lost_stashes: tuple[LostObject, ...] = ()
    meant: frozenset[bytes] = frozenset()
    meant_objects: frozenset[str] = frozenset()
    known_contents: KnownContents = field(default=KnownContents(), compare=False)

    @property
    def last(self) -> Boundary | None:
        """The newest boundary."""
        return self.boundaries[-1] if self.boundaries else None


@dataclass(frozen=True, kw_only=True)
class LostObject:
    """A commit or a stash entry that nothing reaches any more and whose content stands nowhere live."""

    commit: str
    subject: str
    was_on: str
    paths: tuple[bytes, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Author:
    """The task in whose attempt the present changes came about, with what it declared."""

    task: str
    attempt: str | None = None
    paths: tuple[str, ...] = ()
    reverts: tuple[str, ...] = ()

    def may_rewrite(self, path: bytes) -> bool:
        """Whether its `paths` names the path."""
        return matches_any(self.paths, path)

    def may_put_back(self, path: bytes) -> bool:
        """Whether its `reverts` names the path."""
        return matches_any(self.reverts, path)


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What depends on where the guard stands.

    In a unit, an untracked path of a task is worth a loss only where its task's `paths`, or an explicit scope, names
    it (`guarded`); else its vanishing is a warning (decision 1).
    """

    mode: Mode = "plain"
    author: Author | None = None
    guarded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def is_loss(self, claim: Claim) -> bool:
        """Whether this claim's vanishing is a loss and not a warning."""
        if self.mode == "plain":
            return True
        if claim.ignored:
            return False
        tracked = claim.base is not None
        return tracked or claim.owner in (PERSON, COMMIT) or matches_any(self.guarded.get(claim.owner, ()), claim.path)


@dataclass(frozen=True, kw_only=True)
class Present:
    """The work tree as it is now; every tree is the empty one where there is nothing.

    `unread` are the paths, files and folders, that could not be read, and why.
    """

    tree: str
    base: str
    private: str
    unread: Mapping[bytes, IncompleteReason] = field(default_factory=dict)

    def why_unread(self, path: bytes) -> IncompleteReason | None:
        """Why nothing can be said of a path: it could not be read, or a folder above it; None when it was seen."""
        return why_unread(path, self.unread) if self.unread else None


def why_unread(path: bytes, reasons: Mapping[bytes, IncompleteReason]) -> IncompleteReason | None:
    """The reason that is given for a path or for the nearest folder above it; None when there is none."""
    return next((reasons[each] for each in (path, *folders_above(path)) if each in reasons), None)


@dataclass(frozen=True, kw_only=True)
class Move:
    """Where a claim's content went; not `whole`: only most of its lines did."""

    to: bytes
    edited: bool
    whole: bool = True


@dataclass(frozen=True, kw_only=True)
class Tip:
    """A live branch whose tip holds a content: the full name of the ref, and the commit."""

    ref: str
    commit: str


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What became of one claim."""

    claim: Claim
    state: ClaimState
    severity: Severity
    now: Entry | None = None
    move: Move | None = None
    by: str | None = None
    tip: Tip | None = None
    commit: str | None = None
    reason: IncompleteReason | None = None

    @property
    def path(self) -> bytes:
        """The path of the claim."""
        return self.claim.path

    @property
    def is_loss(self) -> bool:
        """Whether this stops a run and ends a check with exit code 4."""
        return self.severity == "loss"
