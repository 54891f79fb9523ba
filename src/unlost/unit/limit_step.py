"""What a provider's limit makes of the next agent: it is waited for, or a person is asked at once; pure.

A reset that the agent told is waited for when the plan allows it, it is near enough and before the deadline. Else the
unit pauses; a person who resumes is worth one try.
"""

from __future__ import annotations

from unlost.plan.facts import Limits, Plan
from unlost.unit.actions import Action, AwaitReset, Pause
from unlost.unit.facts import UnitState
from unlost.unit.terms import Terms


def limit_action(state: UnitState, plan: Plan, now: float) -> Action | None:
    """What comes before the next agent; None when it may start."""
    limit = state.limit
    if limit is None:
        return None
    resets_at = limit.resets_at
    if resets_at is not None:
        if limit.awaited_at > state.resumed_at:
            return AwaitReset(until=resets_at)
        if resets_at <= now:
            return None
        if _may_wait(plan.limits, state.terms, resets_at, now):
            return AwaitReset(until=resets_at)
    return None if limit.heard_at < state.resumed_at else Pause(reason="rate_limit")


def _may_wait(limits: Limits, terms: Terms, resets_at: float, now: float) -> bool:
    in_time = terms.deadline is None or resets_at < terms.deadline
    return limits.auto_resume and in_time and resets_at - now <= limits.max_wait
