"""The events of a unit's research step, beside those by which its brief is stored (`research.events`)."""

from __future__ import annotations

from typing import Final, Literal

from unlost.attempt.facts import EndReason
from unlost.facts.records import dataclass
from unlost.ledger.payload import Declared
from unlost.research import events as submitted
from unlost.research.consumption import ResearchTag
from unlost.unit.limit import RateLimited

ResearchResult = Literal["ready", "blocked", "failed"]
ResearchFailure = Literal[
    "agent_failed",
    "no_brief",
    "malformed",
    "other_commit",  # the brief speaks of another commit than the one that was inspected
    "unconfirmed",  # a submission was begun, and nothing proves that its brief is the one that is there
]


@dataclass(frozen=True, kw_only=True, slots=True)
class ResearchOpened:
    """A researcher is about to be started, and what its result is bound to (R.30, R.42). Body: the exact prompt.

    `tree` is what it may read: the commit's, as this work tree holds it. `branch` is where the commit stood.
    """

    number: int
    revision: int
    epoch: int
    tag: ResearchTag
    branch: str | None
    tree: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ResearchEnded:
    """How the researcher's run ended and what it used (R.48). Body: error texts, cut and redacted.

    `brief`: it left one. `discarded` names at most `MAXIMUM_NAMED` of the paths that it wrote outside its outbox.
    """

    number: int
    reason: EndReason
    failed: bool
    exit_code: int | None
    brief: bool
    discarded: tuple[bytes, ...]
    discarded_count: int
    turns: int
    tokens: int | None
    cost_usd: float | None
    seconds: float
    settled: bool
    limit: RateLimited | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ResearchSettled:
    """What the research came to. Body: the origins of its brief, and why it was refused.

    `digest` and `commit` name the brief, `sources` the ids of all that it rests on (R.34).
    """

    number: int
    result: ResearchResult
    failure: ResearchFailure | None
    digest: str | None
    commit: str | None
    sources: tuple[str, ...]


KINDS: Final = {
    "research.opened": Declared(payload=ResearchOpened),
    "research.ended": Declared(payload=ResearchEnded),
    "research.settled": Declared(payload=ResearchSettled),
    **submitted.KINDS,
}
