"""The events of a unit's review: a reader's run, what it found, and the coding round that is to settle it.

Findings are prose: they are the private body of `review.settled`. Counts, digests and the names of files are public.
"""

from __future__ import annotations

from typing import Final, Literal

from unlost.attempt.facts import EndReason
from unlost.facts.records import dataclass
from unlost.ledger.payload import Declared
from unlost.unit.limit import RateLimited

ReviewKind = Literal[
    "unit",  # the unit's own work, against what stood before it
    "branch",  # an existing branch, against the one that it left
    "delta",  # what a rebase onto a moved target came to
]
ReviewResult = Literal["clean", "findings", "failed"]
ReviewFailure = Literal["agent_failed", "no_findings_file", "malformed"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewOpened:
    """A reviewer is about to be started. Body: the exact prompt.

    It reads `tree`, and what differs between it and `base` (a tree; of a branch the commit that it left).
    """

    number: int
    revision: int
    epoch: int
    identity: str
    kind: ReviewKind
    base: str
    tree: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewEnded:
    """How the reviewer's run ended and what it used. Body: error texts, cut and redacted.

    `findings`: it left a file. `discarded` names at most `MAXIMUM_NAMED` of the paths that it wrote in its checkout.
    """

    number: int
    reason: EndReason
    failed: bool
    exit_code: int | None
    findings: bool
    discarded: tuple[bytes, ...]
    discarded_count: int
    turns: int
    tokens: int | None
    cost_usd: float | None
    seconds: float
    settled: bool
    limit: RateLimited | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewSettled:
    """What a review came to. Body: the findings in their canonical form, or why they were refused.

    `by` is the person whose word it is, None for the reviewer that was started. `tree` is what was read. `digest` and
    `complaint` name the findings, exactly and by what they complain of; `files` are those that errors and warnings
    name.
    """

    number: int
    by: str | None
    tree: str
    result: ReviewResult
    failure: ReviewFailure | None = None
    digest: str | None = None
    complaint: str | None = None
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    files: tuple[bytes, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class RepairOpened:
    """Findings become a coding round: one more task, `repair/ROUND`, under the unit's lease, producer and scope.

    `paths` are the files that the findings name and that are the unit's own work: the round may rewrite, delete and
    put back what stands there. What a person had made before the unit is never among them.
    """

    round: int
    review: int
    paths: tuple[bytes, ...]


KINDS: Final = {
    "review.opened": Declared(payload=ReviewOpened),
    "review.ended": Declared(payload=ReviewEnded),
    "review.settled": Declared(payload=ReviewSettled),
    "repair.opened": Declared(payload=RepairOpened),
}
