"""The reviews of a unit, and the coding rounds that followed them, as its record tells them."""

from __future__ import annotations

from unlost.attempt.facts import OURS
from unlost.facts.records import dataclass, field
from unlost.unit.lease import Spent
from unlost.unit.review_events import ReviewEnded, ReviewOpened, ReviewSettled


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenReview:
    """A reviewer that was started and whose findings are not settled; the numbers are sequences of events."""

    opened: ReviewOpened
    prompt: int
    ended: ReviewEnded | None = None
    ended_at: int = 0

    @property
    def may_repeat(self) -> bool:
        """Whether a stop, kill or crash of ours, or a provider's limit, ended it before it had said anything."""
        ended = self.ended
        return ended is not None and (ended.reason in OURS or ended.limit is not None) and not ended.findings


@dataclass(frozen=True, kw_only=True, slots=True)
class SettledReview:
    """A review with its findings; `body` and `prompt` (None: a person read) are sequences of events.

    `discarded` counts the paths that the reviewer wrote in its checkout.
    """

    settled: ReviewSettled
    body: int
    revision: int
    prompt: int | None = None
    discarded: int = 0

    @property
    def asks_for_work(self) -> bool:
        """Whether it found what somebody has to act on."""
        return self.settled.result == "findings"


@dataclass(frozen=True, kw_only=True, slots=True)
class RepairRecord:
    """A coding round for findings; `paths` is what it may put back, `findings` the sequence of their event."""

    round: int
    review: int
    paths: tuple[bytes, ...]
    findings: int
    by_person: bool

    @property
    def task(self) -> str:
        """The id of the task that the round is; no task of a plan can be called so."""
        return repair_id(self.round)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewRecord:
    """All reviews of a unit. `open` is the newest one while it is not settled; `used` is what all of them used.

    `passed`: in this revision nothing is left to be settled. `repairs` count over all revisions; `before` are those
    of earlier plans, which the present one's rounds do not count.
    """

    open: OpenReview | None = None
    settled: tuple[SettledReview, ...] = ()
    repairs: tuple[RepairRecord, ...] = ()
    before: int = 0
    passed: bool = False
    used: Spent = field(default_factory=Spent)

    @property
    def number(self) -> int:
        """How many reviews there were, those that a crash ended included."""
        newest = self.settled[-1].settled.number if self.settled else 0
        return max(newest, self.open.opened.number if self.open is not None else 0)

    @property
    def last(self) -> SettledReview | None:
        """The newest settled review."""
        return self.settled[-1] if self.settled else None

    @property
    def paid_rounds(self) -> int:
        """The rounds that the plan's allowance paid for; a person's own findings are their own word."""
        return sum(not repair.by_person for repair in self.repairs[self.before :])


def repair_id(number: int) -> str:
    """The id of a repair round's task."""
    return f"repair/{number}"


def is_repair(task: str) -> bool:
    """Whether a task is a repair round: a plan's own ids hold no slash."""
    return task.startswith("repair/")
