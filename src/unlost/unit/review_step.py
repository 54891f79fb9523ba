"""What the review step wants next, once every task is done and the plan's checks pass: pure.

    no review of this tree yet  ->  a reviewer, or a person
    nothing to act on           ->  on to the end
    findings                    ->  a coding round, then checks and review again
    no round left, or no use    ->  a person decides

Rounds are bounded by `[review] rounds`. No progress is noticed before it is paid for: a round that left a tree which
was reviewed before, or a review that complains of the very same again.
"""

from __future__ import annotations

from unlost.plan.facts import Plan
from unlost.unit.actions import Action, Block, Finish, OpenRepair, Pause, RunReview, SettleReview, SubmitFindings
from unlost.unit.facts import UnitState
from unlost.unit.lease import exhausted, expired
from unlost.unit.limit_step import limit_action
from unlost.unit.review import OpenReview, ReviewRecord, SettledReview, is_repair


def unsettled_review(state: UnitState) -> Action | None:
    """The reviewer whose supervisor died; nothing of it may run before anything else does."""
    running = state.review.open if state.review is not None else None
    return SettleReview(number=running.opened.number) if running is not None and running.ended is None else None


def review_action(state: UnitState, plan: Plan, now: float) -> Action | None:
    """The next action of the review step; None when the unit has none or its review is passed.

    The selection is the one recorded at admission, whatever the settings or a later unlost would choose (R.27).
    """
    if "review" not in state.steps:
        return None
    record = state.review or ReviewRecord()
    if record.passed:
        return None
    running = record.open
    if running is not None and not running.may_repeat:
        return SubmitFindings(number=running.opened.number)
    last = _last_of_revision(state, record)
    if last is None or (last.settled.tree != state.tree_now and not _is_back(state, record)):
        return _open(state, plan, record, now)
    if last.settled.result == "failed":
        return _after_failure(state, plan, record, last, now)
    if not last.asks_for_work or "code" not in state.steps:
        return None
    return _repair(state, plan, record, last)


def _repair(state: UnitState, plan: Plan, record: ReviewRecord, last: SettledReview) -> Action:
    """A coding round for findings, when it is allowed and may help; else a person decides."""
    by_person = last.settled.by is not None
    answered = any(repair.review == last.settled.number for repair in record.repairs)
    if answered or last.settled.tree != state.tree_now:
        return Block(reason="review_no_progress", task=None, paths=last.settled.files, count=len(last.settled.files))
    if not by_person and _complains_again(record, last):
        return Block(reason="review_no_progress", task=None, paths=last.settled.files, count=len(last.settled.files))
    if not by_person and record.paid_rounds >= plan.review.rounds:
        return Block(reason="review_findings", task=None, paths=last.settled.files, count=len(last.settled.files))
    return OpenRepair(round=len(record.repairs) + 1, review=last.settled.number)


def _open(state: UnitState, plan: Plan, record: ReviewRecord, now: float) -> Action:
    if expired(state.terms, now):
        return Finish(phase="expired", reason="deadline")
    if plan.review.use == "person":
        return Block(reason="review_waits", task=None)
    if record.open is not None and _needs_person(state, record.open):
        return Block(reason="agent_not_started", task=None)
    exhaustion = exhausted(state.terms, state.spent)
    if exhaustion is not None:
        return Pause(reason=exhaustion)
    return limit_action(state, plan, now) or RunReview(number=record.number + 1)


def _after_failure(state: UnitState, plan: Plan, record: ReviewRecord, last: SettledReview, now: float) -> Action:
    """A review that came to nothing proves nothing: another one is paid for only on a person's word."""
    if last.body > state.resumed_at:
        return Block(reason="review_failed", task=None)
    return _open(state, plan, record, now)


def _last_of_revision(state: UnitState, record: ReviewRecord) -> SettledReview | None:
    """The newest review that counts: an earlier revision's findings were about another plan's work."""
    last = record.last
    return last if last is not None and last.revision == state.revision else None


def _is_back(state: UnitState, record: ReviewRecord) -> bool:
    """Whether the newest round left a tree that a review of this revision had found fault with before, or failed."""
    rounds = [task for task in state.tasks if is_repair(task.id)]
    if rounds and rounds[-1].state == "failed":
        return True
    seen = {each.settled.tree for each in record.settled if each.revision == state.revision and each.asks_for_work}
    return bool(rounds) and state.tree_now in seen


def _complains_again(record: ReviewRecord, last: SettledReview) -> bool:
    """Whether the review before the newest round complained of the very same."""
    if not record.repairs:
        return False
    before = next((each for each in record.settled if each.settled.number == record.repairs[-1].review), None)
    return before is not None and before is not last and before.settled.complaint == last.settled.complaint


def _needs_person(state: UnitState, running: OpenReview) -> bool:
    """Whether the agent could not be started and nobody has resumed since."""
    ended = running.ended
    return (
        ended is not None
        and ended.reason == "not_started"
        and not ended.settled
        and running.ended_at > state.resumed_at
    )
