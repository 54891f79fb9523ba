"""What publishing wants next: a commit where there is none, a push, the request's text. Pure."""

from __future__ import annotations

from unlost.plan.facts import Plan
from unlost.publish.branch import OWN_BRANCHES, branch_name
from unlost.publish.credit import newest_after
from unlost.publish.facts import PushReceipt
from unlost.unit.actions import Action, Block, KeepRequest, Publish, SettlePush
from unlost.unit.commit_step import commit_action, own_commit_action, unsettled_commit
from unlost.unit.facts import UnitState


def unsettled_push(state: UnitState) -> Action | None:
    """A push that nobody heard the end of: the remote is asked, once for each time that a person resumes."""
    record = state.publishing
    if record.open is None or record.uncertain_at > asked_at(state):
        return None
    return SettlePush()


def publish_action(state: UnitState, plan: Plan) -> Action | None:
    """The next action of the step `publish`; None when the unit has no such step, or nothing is left to publish."""
    return publishing_action(state, plan) if "publish" in state.steps else None


def publishing_action(state: UnitState, plan: Plan) -> Action | None:
    """The same whatever the workflow says, as a person asks for it by hand."""
    settling = unsettled_commit(state) or unsettled_push(state)
    if settling is not None:
        return settling
    own = plan.commit.mode == "never"
    making = own_commit_action(state) if own else commit_action(state, plan, ending=True)
    if making is not None:
        return making
    tip = publishable(state)
    if tip is None:
        return None
    record, published = state.publishing, newest_after(state.origin.receipts, publish_ref(state, plan))
    if record.open is not None:
        return Block(reason="publish_refused", task=None, refusals=("unknown",))
    if published != tip or record.verified_at < record.asked_at:
        if record.failure is not None and record.failed_at > asked_at(state):
            return Block(reason="publish_refused", task=None, refusals=(record.failure,))
        return Publish(commit=tip)
    if record.request is None or record.request.commit != tip:
        return KeepRequest(commit=tip)
    return None


def asked_at(state: UnitState) -> int:
    """The event by which a person last asked for what could not be done before: a resume, or `unlost publish`."""
    return max(state.resumed_at, state.publishing.asked_at)


def publish_ref(state: UnitState, plan: Plan) -> str:
    """The full ref at the remote: what the plan says, else the unit's own branch, by the name it was first given."""
    if not plan.publish.branch:
        first = f"refs/heads/{OWN_BRANCHES}"
        for receipt in state.origin.receipts:
            if isinstance(receipt, PushReceipt) and receipt.ref.startswith(first) and receipt.ref.endswith(state.unit):
                return receipt.ref
    return f"refs/heads/{branch_name(plan.publish.branch, title=state.title, unit=state.unit)}"


def publishable(state: UnitState) -> str | None:
    """The commit that holds the unit's committed work; None when that is nothing beyond what stood there before."""
    tip, noted = state.commits.tip, state.origin.noted
    return None if tip is None or (noted is not None and tip == noted.head) else tip
