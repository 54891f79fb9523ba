"""What the research step wants next: before the first coding attempt, and never twice (R.23, R.29): pure."""

from __future__ import annotations

from unlost.plan.facts import Plan
from unlost.unit.actions import Action, AskAboutBrief, Block, Finish, Pause, RunResearch, SettleResearch, SubmitBrief
from unlost.unit.facts import UnitState
from unlost.unit.lease import exhausted, expired
from unlost.unit.limit_step import limit_action
from unlost.unit.research import ResearchRecord
from unlost.unit.reserve import research_allowance


def unsettled_research(state: UnitState) -> Action | None:
    """The researcher whose supervisor died; nothing of it may run before anything else does."""
    record = state.research
    return SettleResearch(number=record.number) if record is not None and record.ended is None else None


def research_action(state: UnitState, plan: Plan, now: float) -> Action | None:
    """The next action of the research step; None when the unit has no such step or coding may go on.

    The selection is the one recorded at admission, whatever the settings or a later unlost would choose (R.27).
    """
    if "research" not in state.steps:
        return None
    record = state.research
    if record is None or record.may_repeat(state.revision):
        return _open(state, plan, now)
    settled = record.settled
    if settled is None:
        return SubmitBrief(number=record.number)
    if settled.result == "failed":
        return Finish(phase="failed", reason=f"research_{settled.failure}")
    if settled.result == "blocked" and not brief_answered(state):
        return AskAboutBrief(number=record.number)
    return None


def brief_answered(state: UnitState) -> bool:
    """Whether a person answered this unit's own blocked brief (R.19): the question came after it, the answer later."""
    record = state.research
    return record is not None and any(
        answer.research and answer.answer > answer.question > record.settled_at for answer in state.answered
    )


def _open(state: UnitState, plan: Plan, now: float) -> Action:
    if expired(state.terms, now):
        return Finish(phase="expired", reason="deadline")
    record = state.research
    if record is not None and _needs_person(state, record):
        return Block(reason="agent_not_started", task=None)
    exhaustion = exhausted(state.terms, state.spent)
    if exhaustion is not None:
        return Pause(reason=exhaustion)
    if research_allowance(state, plan, now) is None:
        return Pause(reason="reserve")
    return limit_action(state, plan, now) or RunResearch(number=1 if record is None else record.number + 1)


def _needs_person(state: UnitState, record: ResearchRecord) -> bool:
    """Whether the agent could not be started and nobody has resumed since."""
    ended = record.ended
    return (
        ended is not None and ended.reason == "not_started" and not ended.settled and record.ended_at > state.resumed_at
    )
