"""The lease of a unit: what it may spend, what it has spent, and when that is enough (decision 14).

Deadlines are moments in seconds since 1970. The deadline moves only by the length of a parked wait, or when a person
extends it; blocked and paused time counts.
"""

from __future__ import annotations

from unlost.facts.records import dataclass, replace
from unlost.unit.attempt_events import AttemptEnded
from unlost.unit.maintenance_events import MaintenanceRepairEnded
from unlost.unit.research_events import ResearchEnded
from unlost.unit.review_events import ReviewEnded
from unlost.unit.terms import PauseReason, Terms


@dataclass(frozen=True, kw_only=True, slots=True)
class Spent:
    """What all attempts of a unit, research and review included, used together.

    `unpriced`: those whose price nobody knows.
    """

    usd: float = 0.0
    tokens: int = 0
    turns: int = 0
    seconds: float = 0.0
    unpriced: int = 0
    unpriced_since_resume: int = 0

    @property
    def known_usd(self) -> float | None:
        """The whole price, None when a part of it is unknown: an unknown price is never zero."""
        return None if self.unpriced else self.usd


def spend(spent: Spent, ended: AttemptEnded | ResearchEnded | ReviewEnded | MaintenanceRepairEnded) -> Spent:
    """What is spent after one more attempt; one that never ran costs nothing."""
    ran = ended.reason not in ("not_started", "busy")
    unpriced = int(ran and ended.cost_usd is None)
    return Spent(
        usd=spent.usd + (ended.cost_usd or 0.0),
        tokens=spent.tokens + (ended.tokens or 0),
        turns=spent.turns + ended.turns,
        seconds=spent.seconds + ended.seconds,
        unpriced=spent.unpriced + unpriced,
        unpriced_since_resume=spent.unpriced_since_resume + unpriced,
    )


def resumed(spent: Spent) -> Spent:
    """The same spending after a person resumed: going on without a known price is their word, once."""
    return replace(spent, unpriced_since_resume=0)


def expired(terms: Terms, now: float) -> bool:
    """Whether the deadline has passed."""
    return terms.deadline is not None and now >= terms.deadline


def exhausted(terms: Terms, spent: Spent) -> PauseReason | None:
    """Why no further attempt may be paid for; None while something is left."""
    if terms.cost_usd is not None:
        if spent.usd >= terms.cost_usd:
            return "cost"
        if spent.unpriced_since_resume:
            return "price_unknown"
    return "tokens" if 0 < terms.tokens <= spent.tokens else None


def time_left(terms: Terms, now: float) -> float | None:
    """Seconds until the deadline, never below zero; None without one."""
    return None if terms.deadline is None else max(0.0, terms.deadline - now)


def cost_left(terms: Terms, spent: Spent) -> float | None:
    """Dollars that the next attempt may use; None without a cap."""
    return None if terms.cost_usd is None else max(0.0, terms.cost_usd - spent.usd)


def tokens_left(terms: Terms, spent: Spent) -> int | None:
    """Tokens that the next attempt may use; None without a cap."""
    return max(0, terms.tokens - spent.tokens) if terms.tokens else None


def after_wait(terms: Terms, *, left: float | None, now: float) -> Terms:
    """The terms after a parked wait: what was left of the deadline when the question was asked is left again (R.17)."""
    return replace(terms, deadline=None if left is None else now + left)


def extended(terms: Terms, *, cost_usd: float = 0.0, seconds: float = 0.0, now: float = 0.0) -> Terms:
    """The terms after a person raised the cost cap by dollars or gave more time, from now on when it had run out."""
    cost = None if terms.cost_usd is None else terms.cost_usd + cost_usd
    deadline = terms.deadline
    if deadline is not None and seconds:
        deadline = max(deadline, now) + seconds
    return replace(terms, cost_usd=cost, deadline=deadline)
