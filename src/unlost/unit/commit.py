"""The commits of a unit as its record tells them."""

from __future__ import annotations

from unlost.facts.records import dataclass
from unlost.publish.outcomes import LeftOut
from unlost.unit.commit_events import CommitDeferred, CommitEnded, CommitIntended


@dataclass(frozen=True, kw_only=True, slots=True)
class MadeCommit:
    """A commit that was delivered, or made in unlost's own store; `commit` is what stood there then.

    `gone`: the branch was moved back since, and does not hold it any more.
    """

    intended: CommitIntended
    ended: CommitEnded
    commit: str
    gone: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class CommitRecord:
    """What was committed, what is on its way, and what could not be.

    `covered` are the pieces of work that need no further commit. `number` counts every try. `deferred` is the newest
    one that could not be, at event `deferred_at`, while `deferred_pending` pieces waited; `refused` counts such tries
    in a row. `tip` is the commit that holds all that is covered. The newest commit was made at event `changed_at`, and
    the branch looked at for all of them at `verified_at`. `unproven` is the number of boundaries when hooks
    last ran: the tree is to be captured before anything else.
    """

    made: tuple[MadeCommit, ...] = ()
    covered: frozenset[str] = frozenset()
    left_out: tuple[LeftOut, ...] = ()
    open: CommitIntended | None = None
    number: int = 0
    deferred: CommitDeferred | None = None
    deferred_at: int = 0
    deferred_pending: int = 0
    refused: int = 0
    tip: str | None = None
    changed_at: int = 0
    verified_at: int = 0
    unproven: int | None = None
