"""What an open maintenance action wants next: pure.

    not merged            ->  carry the commits over
    conflict              ->  one paid repair, when lease, allowance and research let it
    repaired, and whole   ->  a commit of it
    a commit              ->  a delta review, where the unit's workflow has review
    nothing found         ->  publish, and a receipt

Whatever keeps it from the next step settles it with its reason; nothing is paid for twice.
"""

from __future__ import annotations

from typing import Literal

from unlost.attempt.facts import NEVER_RAN
from unlost.facts.records import dataclass
from unlost.plan.facts import Plan
from unlost.unit.facts import UnitState
from unlost.unit.lease import exhausted, expired
from unlost.unit.maintenance import MaintenanceAction
from unlost.unit.maintenance_events import MaintenanceRepairEnded, MaintenanceResult
from unlost.unit.review import SettledReview

MaintenanceWork = Literal["merge", "repair", "settle_repair", "commit", "review", "settle_review", "findings", "push"]


@dataclass(frozen=True, kw_only=True, slots=True)
class MaintenanceStep:
    """The next piece of work of an action, or (`result`) what it comes to."""

    work: MaintenanceWork | None = None
    result: MaintenanceResult | None = None
    paths: tuple[bytes, ...] = ()


def next_step(state: UnitState, plan: Plan, now: float) -> MaintenanceStep | None:
    """What is next for the open action; None when there is none."""
    action = state.maintenance.open
    if action is None:
        return None
    if action.merged is None:
        return MaintenanceStep(work="merge")
    if action.commit is None:
        return _repair(state, plan, action, now)
    if action.commit == action.opened.onto:
        return MaintenanceStep(result="landed")
    return _publish(state, plan, action, now)


def may_pay(state: UnitState, plan: Plan, now: float) -> MaintenanceResult | None:
    """Why no repair may be paid for; None when one may. Rounds of review and of maintenance are one allowance."""
    if expired(state.terms, now) or exhausted(state.terms, state.spent) is not None:
        return "lease"
    used = state.maintenance.paid_rounds + (0 if state.review is None else state.review.paid_rounds)
    return "no_round" if used >= plan.review.rounds else None


def _repair(state: UnitState, plan: Plan, action: MaintenanceAction, now: float) -> MaintenanceStep:
    assert action.merged is not None
    if action.intended is None:
        reason = may_pay(state, plan, now)
        if reason is not None:
            return MaintenanceStep(result=reason, paths=action.merged.conflicts)
        return MaintenanceStep(work="repair")
    if action.ended is None:
        return MaintenanceStep(work="settle_repair")
    return _judged(action.ended, action.merged.conflicts)


def _judged(ended: MaintenanceRepairEnded, conflicts: tuple[bytes, ...]) -> MaintenanceStep:
    """What a repair came to: a commit is made of it when its end is known and nothing is wrong with what it left."""
    if ended.reason in NEVER_RAN:
        return MaintenanceStep(result="not_started", paths=conflicts)
    if not ended.known:
        return MaintenanceStep(result="unknown", paths=conflicts)
    if ended.limited:
        return MaintenanceStep(result="limited", paths=conflicts)
    if ended.unresolved:
        return MaintenanceStep(result="unresolved", paths=ended.unresolved)
    if ended.outside:
        return MaintenanceStep(result="out_of_scope", paths=ended.outside)
    if ended.failed or ended.outcome in ("blocked", "scope_change"):
        return MaintenanceStep(result="agent_failed", paths=conflicts)
    return MaintenanceStep(work="commit")


def _publish(state: UnitState, plan: Plan, action: MaintenanceAction, now: float) -> MaintenanceStep:
    if "review" in state.steps and plan.review.use != "person":
        reading = _review(state, action, now)
        if reading is not None:
            return reading
    return MaintenanceStep(work="push")


def _review(state: UnitState, action: MaintenanceAction, now: float) -> MaintenanceStep | None:
    """The delta review: read-only, with no gate but the lease (R.64); None when it found nothing to act on."""
    record = state.review
    running = record.open if record is not None else None
    if running is not None and running.opened.number == action.review:
        if running.ended is None:
            return MaintenanceStep(work="settle_review")
        if not running.may_repeat:
            return MaintenanceStep(work="findings")
    settled = _settled_review(state, action)
    if settled is None:
        if expired(state.terms, now) or exhausted(state.terms, state.spent) is not None:
            return MaintenanceStep(result="lease")
        return MaintenanceStep(work="review")
    if settled.settled.result == "failed":
        return MaintenanceStep(result="review_failed")
    if settled.asks_for_work:
        return MaintenanceStep(result="findings", paths=settled.settled.files)
    return None


def _settled_review(state: UnitState, action: MaintenanceAction) -> SettledReview | None:
    reviews = state.review.settled if state.review is not None else ()
    return next((each for each in reviews if action.review and each.settled.number == action.review), None)
