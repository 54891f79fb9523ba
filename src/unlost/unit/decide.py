"""What to do next: pure, from state, plan and time. Reading it from top to bottom is reading how a unit travels.

The order of the questions is the order of importance: never two agents, then what a person said, then whether the
work still stands, then the task at hand, then the end. Nothing that costs money is asked for while a claim has fallen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from unlost.facts.words import BoundaryKind
from unlost.plan.facts import Check, Plan
from unlost.unit.actions import (
    Action,
    AskPerson,
    Block,
    CloseAttempt,
    FailTask,
    Finish,
    JudgeAttempt,
    Pause,
    Rest,
    RestoreLost,
    RunAttempt,
    RunCheck,
    SettleAttempt,
    TakeBoundary,
)
from unlost.unit.commit_step import commit_action, unsettled_commit
from unlost.unit.done import give_up, next_check, result_of
from unlost.unit.facts import AttemptRecord, CheckRecord, TaskRecord, UnitState
from unlost.unit.handoff_step import handoff_action
from unlost.unit.lease import exhausted, expired
from unlost.unit.limit_step import limit_action
from unlost.unit.proof import Proof
from unlost.unit.publish_step import publish_action, unsettled_push
from unlost.unit.questions import silence_over
from unlost.unit.research_step import research_action, unsettled_research
from unlost.unit.review import is_repair
from unlost.unit.review_step import review_action, unsettled_review

RESTORES: Final = 2
"""How often a unit restores on the plan's word; each path once (design.md section 5)."""


def decide(state: UnitState, plan: Plan, now: float) -> Action:
    """The next action; `plan` is the one of the state's revision, `now` in seconds since 1970."""
    if state.over:
        return Rest()
    settling = _settle(state)
    if settling is not None:
        return settling
    if state.waiting is not None:
        return Finish(phase="expired", reason="question_expired") if silence_over(state, now) else Rest()
    if state.restoring is not None:
        return RestoreLost(paths=state.restoring)
    attempt = state.open_attempt
    judging = None if attempt is None else _judge(state, attempt)
    if judging is not None:
        return judging
    if state.stop_asked:
        return _stop(state, attempt)
    trouble = _trouble(state, plan)
    if trouble is not None:
        return trouble
    return _between(state, plan, now) if attempt is None else _check_and_close(state, plan, attempt)


def _settle(state: UnitState) -> Action | None:
    """An agent, researcher, coder or reviewer, whose end nobody recorded: its supervisor died."""
    attempt = state.open_attempt
    if attempt is not None and attempt.ended is None:
        return SettleAttempt(task=attempt.task, number=attempt.number)
    return unsettled_research(state) or unsettled_review(state) or unsettled_commit(state) or unsettled_push(state)


def _judge(state: UnitState, attempt: AttemptRecord) -> Action | None:
    """Capture and judge what an ended attempt left; judge again what a person has since restored or accepted."""
    judged = attempt.judged
    if judged is None:
        return JudgeAttempt(task=attempt.task, number=attempt.number, round=1)
    if not state.fresh:
        return JudgeAttempt(task=attempt.task, number=attempt.number, round=judged.round + 1)
    if not attempt.recorded and (judged.proof.trouble or judged.outside):
        kind: BoundaryKind = "attempt_end" if judged.round == 1 else "resumed"
        return TakeBoundary(kind=kind, task=attempt.task, attempt=attempt.number, judged=True)
    return None


def _trouble(state: UnitState, plan: Plan) -> Action | None:
    """What keeps the unit from going on: a fallen claim, or paths outside the scope; None when all stands."""
    if not state.fresh:
        return None
    proof, task = state.proof, state.current
    where = task.id if task is not None else None
    if proof.trouble == "loss":
        paths = tuple(lost.path for lost in proof.lost)
        if _may_restore(state, plan, proof):
            return RestoreLost(paths=paths)
        return Block(reason="loss", task=where, paths=paths, count=proof.lost_count)
    if proof.trouble is not None:
        return Block(reason=proof.trouble, task=where, count=proof.unproved or proof.elsewhere)
    judged = state.open_attempt.judged if state.open_attempt is not None else None
    if judged is not None and judged.outside:
        return Block(reason="out_of_scope", task=where, paths=judged.outside, count=judged.outside_count)
    return None


def _may_restore(state: UnitState, plan: Plan, proof: Proof) -> bool:
    """Whether the plan, or the person who resumed, let the unit restore by itself, and it has not done so already."""
    asked = state.restore_lost or plan.guard.on_loss == "restore"
    again = any(lost.path in earlier for earlier in state.restored for lost in proof.lost)
    all_named = len(proof.lost) == proof.lost_count and not proof.lost_objects
    return asked and all_named and len(state.restored) < RESTORES and not again


def _stop(state: UnitState, attempt: AttemptRecord | None) -> Action:
    """End where the unit is; what stands is proven once more before that is said (G.18)."""
    if attempt is not None and not attempt.recorded:
        return CloseAttempt(task=attempt.task, number=attempt.number, result="not_done")
    if not state.fresh:
        return TakeBoundary(kind="resumed")
    return Finish(phase="stopped", reason="stopped")


def _check_and_close(state: UnitState, plan: Plan, attempt: AttemptRecord) -> Action:
    """The checks of a judged attempt whose tree holds every claim, then what it came to."""
    assert attempt.judged is not None
    task = plan.task(attempt.task)
    check = next_check(task, attempt)
    if check is not None:
        return RunCheck(check=check, task=task.id, attempt=attempt.number, round=attempt.judged.round)
    result = result_of(task, state.task(task.id), attempt)
    waiting = _redefined(state, attempt.checks)
    if result in ("done", "no_change") and waiting:
        return Block(reason="definition_changed", task=task.id, paths=waiting, count=len(waiting))
    return CloseAttempt(task=task.id, number=attempt.number, result=result)


def _between(state: UnitState, plan: Plan, now: float) -> Action:
    """No attempt is open: what checks changed is put on record, then the next task, or the end."""
    if state.fresh and state.tree_now != state.last_boundary.tree:
        return TakeBoundary(kind="checks")
    committing = commit_action(state, plan, ending=False)
    if committing is not None:
        return committing
    # A repair round that came to nothing leaves the finished work as it was: a person decides (`review_action`).
    failed = next((known for known in state.tasks if known.state == "failed" and not is_repair(known.id)), None)
    if failed is not None:
        return Finish(phase="failed", reason=failed.reason)
    task = state.current
    if task is None:
        return _finish(state, plan, now)
    if task.last is not None and task.last.result == "asked" and _unanswered(state, task.last):
        return AskPerson(task=task.id, attempt=task.last.number)
    return research_action(state, plan, now) or _pay(state, plan, task, now)


def _pay(state: UnitState, plan: Plan, task: TaskRecord, now: float) -> Action:
    """Another attempt, when it may be paid for, the tree was proven for it and nothing is left to bring back."""
    reason = give_up(task, revision=state.revision, attempts=state.terms.attempts)
    if reason is not None:
        return FailTask(task=task.id, reason=reason)
    if not state.fresh:
        return TakeBoundary(kind="before_task" if task.opened is None else "resumed", task=task.id)
    if expired(state.terms, now):
        return Finish(phase="expired", reason="deadline")
    if task.opened is None:
        return TakeBoundary(kind="before_task", task=task.id)
    if _first_of_revision(state) and state.paused_tree not in (None, state.tree_now):
        return Block(reason="paused_tree", task=task.id)
    last = task.last
    if last is not None and _needs_person(state, last):
        return Block(reason="agent_not_started", task=task.id)
    exhaustion = exhausted(state.terms, state.spent)
    if exhaustion is not None:
        return Pause(reason=exhaustion)
    waiting = limit_action(state, plan, now) or handoff_action(state, task, plan.resume.restore)
    return waiting or RunAttempt(task=task.id, number=len(task.attempts) + 1)


def _finish(state: UnitState, plan: Plan, now: float) -> Action:
    """Every task is done: the plan's checks, a last proof, the review, the end."""
    if not state.fresh:
        return TakeBoundary(kind="resumed")
    check = _next_plan_check(state, plan)
    if check is not None:
        return RunCheck(check=check, task=None, attempt=None, round=_check_round(state))
    if not all(record.ended.passed for record in state.checks):
        return Finish(phase="failed", reason="checks_failed")
    waiting = _redefined(state, state.checks)
    if waiting:
        return Block(reason="definition_changed", task=None, paths=waiting, count=len(waiting))
    ending = review_action(state, plan, now) or commit_action(state, plan, ending=True)
    return ending or publish_action(state, plan) or Finish(phase="done")


def _check_round(state: UnitState) -> int:
    """Which time the plan's checks run from the first one on: once in each revision, and again after each repair."""
    return state.revision + (0 if state.review is None else len(state.review.repairs))


def _next_plan_check(state: UnitState, plan: Plan) -> Check | None:
    ran = len(state.checks)
    return plan.checks[ran] if ran < len(plan.checks) else None


def _redefined(state: UnitState, checks: Iterable[CheckRecord]) -> tuple[bytes, ...]:
    """The changed definitions by which checks passed and which nobody accepted (N.R7)."""
    return tuple(path for check in checks if check.waits(state.redefined) for path in check.ended.redefined)


def _first_of_revision(state: UnitState) -> bool:
    """Whether no attempt of this revision was started yet, so that the paused tree is still to be found (N.26)."""
    return not any(attempt.intended.revision == state.revision for task in state.tasks for attempt in task.attempts)


def _unanswered(state: UnitState, attempt: AttemptRecord) -> bool:
    answered = any(answer.answer > attempt.ended_at for answer in state.answered)
    return not answered and attempt.intended.revision == state.revision


def _needs_person(state: UnitState, last: AttemptRecord) -> bool:
    """Whether the agent could not be started and nobody has resumed since."""
    if last.ended is None or last.ended.reason != "not_started" or last.ended.settled:
        return False
    return last.ended_at > state.resumed_at
