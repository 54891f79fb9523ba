"""The events by which a unit's finished work is committed: intent, outcome, and what kept it from being."""

from __future__ import annotations

from typing import Final

from unlost.facts.records import dataclass
from unlost.ledger.payload import Declared
from unlost.publish.facts import CommitReceipt
from unlost.publish.outcomes import CommitRefusal, LeftOut


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitIntended:
    """A commit was made in unlost's own store and is about to come to `branch` (None: it stays there).

    `pieces` are the closed attempts whose work it holds, as `TASK ATTEMPT`; `name` tells it from the unit's others.
    `left_out` names at most `MAXIMUM_NAMED` of the paths that it does not hold.
    """

    name: str
    number: int
    pieces: tuple[str, ...]
    branch: str | None
    before: str
    commit: str
    paths: int
    left_out: tuple[LeftOut, ...]
    left_out_count: int
    skipped_hooks: tuple[str, ...]
    hooks_ran: bool
    signed: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitEnded:
    """What a delivery came to: a receipt, or why nothing was changed. Body of a refusal: what git said.

    `settled`: found out afterwards, because the supervisor that delivered it died.
    """

    name: str
    number: int
    receipt: CommitReceipt | None
    refusal: CommitRefusal | None
    settled: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitDeferred:
    """No commit could be made now; the work stands in the tree. Body: what git or a hook said.

    `tree` is what had been captured last: a hook that fixed files leads to another one, and that to one more try.
    """

    number: int
    pieces: tuple[str, ...]
    refusal: CommitRefusal
    tree: str
    hooks_ran: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitUnneeded:
    """HEAD, at `head`, holds this work already, or none of it is to be committed: nothing was written."""

    number: int
    pieces: tuple[str, ...]
    head: str
    left_out: tuple[LeftOut, ...]
    left_out_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitsVerified:
    """The branch was looked at before the end: `gone` are the unit's commits that it does not hold any more.

    What they held is committed again, where HEAD does not hold it some other way.
    """

    gone: tuple[str, ...]


KINDS: Final = {
    "commit.intended": Declared(payload=CommitIntended),
    "commit.ended": Declared(payload=CommitEnded),
    "commit.deferred": Declared(payload=CommitDeferred),
    "commit.unneeded": Declared(payload=CommitUnneeded),
    "commit.verified": Declared(payload=CommitsVerified),
}
