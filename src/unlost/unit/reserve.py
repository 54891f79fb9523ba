"""What research may take of a lease, and what of it is kept for coding (R.24): pure."""

from __future__ import annotations

from typing import Final

from unlost.facts.records import dataclass
from unlost.plan.facts import Plan
from unlost.unit.facts import UnitState
from unlost.unit.lease import Spent, cost_left, time_left, tokens_left

CODING_MINIMUM: Final = 60.0
"""Seconds that are kept for each task that is not done: a first attempt gets that at least."""
RESEARCH_MINIMUM: Final = 10.0
"""Seconds below which research is not worth starting."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowance:
    """What one research attempt may use; zero dollars or tokens: the lease has no such cap."""

    turns: int
    tokens: int
    cost_usd: float
    seconds: float


def research_allowance(state: UnitState, plan: Plan, now: float) -> Allowance | None:
    """What the next research attempt may use; None when it would take what coding needs.

    Of time, dollars and tokens research gets its share of the whole lease at most, earlier research attempts
    included; the coding minimum of every waiting task is never given away.
    """
    share, used = plan.research.share, _used(state)
    waiting = sum(not task.settled for task in state.tasks)
    seconds = plan.budget.deadline * share - used.seconds
    left = time_left(state.terms, now)
    if left is not None:
        seconds = min(seconds, left - waiting * CODING_MINIMUM)
    turns = plan.research.turns - used.turns
    cost, tokens = _dollars(state, share, used), _tokens(state, share, used)
    if seconds < RESEARCH_MINIMUM or turns < 1 or cost is None or tokens is None:
        return None
    return Allowance(turns=turns, tokens=tokens, cost_usd=cost, seconds=seconds)


def _used(state: UnitState) -> Spent:
    return state.research.used if state.research is not None else Spent()


def _dollars(state: UnitState, share: float, used: Spent) -> float | None:
    """Dollars, 0.0 without a cap, None when none are left for research."""
    left = cost_left(state.terms, state.spent)
    if left is None or state.terms.cost_usd is None:
        return 0.0
    allowed = min(state.terms.cost_usd * share - used.usd, left)
    return allowed if allowed > 0 else None


def _tokens(state: UnitState, share: float, used: Spent) -> int | None:
    """Tokens, 0 without a cap, None when none are left for research."""
    left = tokens_left(state.terms, state.spent)
    if left is None:
        return 0
    allowed = min(int(state.terms.tokens * share) - used.tokens, left)
    return allowed if allowed > 0 else None
