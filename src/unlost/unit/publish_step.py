"""What publishing wants next: a commit where there is none, a push, the request's text. Pure."""

from __future__ import annotations

from unlost.plan.facts import Plan
from unlost.unit.actions import Action, Block, KeepRequest, Publish, SettlePush
from unlost.unit.commit_step import own_commit_action
from unlost.unit.facts import UnitState


def unsettled_push(state: UnitState) -> Action | None:
    """A push that nobody heard the end of: the remote is asked, once for each time that a person resumes."""
    record = state.publishing
    if record.open is None or record.uncertain_at > state.resumed_at:
        return None
    return SettlePush()


def publish_action(state: UnitState, plan: Plan) -> Action | None:
    """The next action of the step `publish`; None when the unit has no such step, or nothing is left to publish."""
    if "publish" not in state.steps:
        return None
    if plan.commit.mode == "never":
        making = own_commit_action(state)
        if making is not None:
            return making
    tip = publishable(state)
    if tip is None:
        return None
    record = state.publishing
    if record.open is not None:
        return Block(reason="publish_refused", task=None, refusals=("unknown",))
    if record.published != tip:
        if record.failure is not None and record.failed_at > state.resumed_at:
            return Block(reason="publish_refused", task=None, refusals=(record.failure,))
        return Publish(commit=tip)
    if record.request is None or record.request.commit != tip:
        return KeepRequest(commit=tip)
    return None


def publishable(state: UnitState) -> str | None:
    """The commit that holds the unit's committed work; None when that is nothing beyond what stood there before."""
    tip, noted = state.commits.tip, state.origin.noted
    return None if tip is None or (noted is not None and tip == noted.head) else tip
