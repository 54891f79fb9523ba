"""An attempt from its prompt to its close: intent, run or settle, judge, close."""

from __future__ import annotations

from typing import Literal

from unlost.attempt.facts import AttemptEnd
from unlost.engine.allowances import caps_of
from unlost.engine.consulting import Consulted, consult, writer_pointer
from unlost.engine.endings import ending
from unlost.engine.handing_over import kept_handoff
from unlost.engine.ports import AttemptOrder, Captured
from unlost.engine.remains import STDERR_LIMIT, kept_text
from unlost.engine.step import Step, passed
from unlost.engine.stopping import StopWatch
from unlost.engine.telling import Told, tell
from unlost.facts.errors import Interrupted
from unlost.facts.quoting import canonical_json
from unlost.facts.words import BoundaryKind
from unlost.plan.scope import outside
from unlost.research.brief import brief_digest
from unlost.unit import actions, attempt_events, events
from unlost.unit.facts import FINISHED, AttemptRecord, TaskRecord
from unlost.unit.proof import MAXIMUM_NAMED
from unlost.unit.review import is_repair


def run_attempt(step: Step, action: actions.RunAttempt) -> None:
    """Ask whether coding may start on the research; store the prompt with the intent, run the agent, record its end."""
    consulted = consult(step)
    if consulted.refusals:
        _refuse(step, action.task, consulted)
        return
    state = step.stream.state
    task = state.task(action.task)
    told = _told(step, task, consulted)
    passed("attempt.composed")
    identity = f"{state.unit}-{_position(step, action.task)}-{action.number}-{state.epoch}"
    intended = attempt_events.AttemptIntended(
        task=action.task,
        attempt=action.number,
        revision=state.revision,
        epoch=state.epoch,
        identity=identity,
        tree=state.tree_now,
        notes=told.notes,
        brief=None if consulted.brief is None else brief_digest(consulted.brief),
        handoff=told.handoff,
        writer=writer_pointer(step, consulted, identity=identity, kind=_kind(action.task)),
    )
    key = _key(action.task, action.number)
    step.intend(f"{key} intended", intended, body=told.prompt.data, point="attempt.intended")
    if told.retained is not None:
        _record_retained_work(step, action, told)
    order = AttemptOrder(
        identity=identity,
        unit=state.unit,
        task=action.task,
        number=action.number,
        prompt=told.prompt.data,
        agent=step.stream.plan.agent,
        caps=caps_of(step),
        earlier=_earlier(step, task),
        step=_kind(action.task),
    )
    end = step.hands.attempts.run(order, step.hands.listener.heard, StopWatch(step))
    passed("attempt.returned")
    _record_end(step, action.task, action.number, end, settled=False)
    if end.interrupted:
        raise Interrupted("stopped by the person; the work is kept", hint="unlost resume")


def settle_attempt(step: Step, action: actions.SettleAttempt) -> None:
    """Find out how an attempt ended whose supervisor died, and record it."""
    attempt = step.stream.state.task(action.task).attempts[-1]
    end = step.hands.attempts.settle(attempt.intended.identity, step.stream.plan.agent)
    passed("attempt.returned")
    _record_end(step, action.task, action.number, end, settled=True)


def judge_attempt(step: Step, action: actions.JudgeAttempt) -> None:
    """Capture what the attempt left, hold it against every claim and the scope."""
    state, plan = step.stream.state, step.stream.plan
    attempt = state.task(action.task).attempts[-1]
    captured = step.hands.watch.capture(state.unit)
    passed("attempt.captured")
    proof = step.hands.watch.judge(captured, plan, plan.task(action.task))
    beyond = _outside(step, attempt, captured.tree)
    judged = attempt_events.AttemptJudged(
        task=action.task,
        attempt=action.number,
        round=action.round,
        snapshot=captured.snapshot,
        tree=captured.tree,
        proof=proof,
        outside=beyond[:MAXIMUM_NAMED],
        outside_count=len(beyond),
    )
    step.record((f"{_key(action.task, action.number)} judged {action.round}", judged, None), point="attempt.judged")


def close_attempt(step: Step, action: actions.CloseAttempt) -> None:
    """Record the boundary after the attempt, what it came to, and the task's end when it is done: all together."""
    attempt = step.stream.state.task(action.task).attempts[-1]
    assert attempt.judged is not None
    finished = action.result in FINISHED
    kind: BoundaryKind = "after_task" if finished else "attempt_end"
    captured = Captured(snapshot=attempt.judged.snapshot, tree=attempt.judged.tree)
    task = step.stream.plan.task(action.task)
    boundary = step.boundary(kind, captured, attempt.judged.proof, task=task, attempt=action.number)
    passed("attempt.bounded")
    closed = attempt_events.AttemptClosed(task=action.task, attempt=action.number, result=action.result)
    said: list[tuple[str, object, bytes | None]] = [
        boundary,
        (f"{_key(action.task, action.number)} closed", closed, None),
    ]
    if action.result == "done" or action.result == "no_change":  # noqa: PLR1714  (so that mypy sees the literal)
        settled = attempt_events.TaskSettled(task=action.task, state=action.result, reason="", boundary=boundary[1].n)
        said.append((f"task {action.task} settled r{step.stream.state.revision}", settled, None))
    step.record(*said, point="attempt.closed")


def _refuse(step: Step, task: str, consulted: Consulted) -> None:
    """Wait for a person instead: no agent is started, and every reason is on record (R.35)."""
    reasons = tuple(dict.fromkeys(refusal.reason for refusal in consulted.refusals))
    sources = tuple(dict.fromkeys(refusal.detail for refusal in consulted.refusals if refusal.detail.startswith("s-")))
    blocked = events.Blocked(reason="research_refused", task=task, paths=(), count=0, refusals=reasons, sources=sources)
    step.intend(f"blocked {step.stream.state.sequence + 1}", blocked, point="unit.waiting")


def _told(step: Step, task: TaskRecord, consulted: Consulted) -> Told:
    """The prompt, from the capture that was compared with the paused tree and with no other one (N.15)."""
    state, watch = step.stream.state, step.hands.watch
    changed = watch.changed(state.base_tree, state.tree_now) if state.revision > 1 else ()
    before = watch.changed(task.opened.tree, state.tree_now) if task.opened is not None and task.attempts else ()
    return tell(
        step.stream,
        task,
        changed=changed,
        before=before,
        brief=consulted.brief,
        resume=_resume_prompt(step, task),
        nonce=step.hands.new_nonce,
    )


def _resume_prompt(step: Step, task: TaskRecord) -> str | None:
    """What the attempt before hands over, compiled from a look at the tree as it is now (H.30)."""
    before = task.last_that_ran(step.stream.state.revision)
    if before is None or before.handoff is None:
        return None
    return step.hands.handoffs.prompt(kept_handoff(step, before.handoff))


def _earlier(step: Step, task: TaskRecord) -> tuple[str, ...]:
    """The attempts whose conversation may be carried on: a revision is a new order, and begins one of its own."""
    if step.stream.state.fresh_attempts:
        return ()
    known = (attempt.intended for attempt in task.attempts)
    return tuple(each.identity for each in known if each.revision == step.stream.state.revision)


def _record_retained_work(step: Step, action: actions.RunAttempt, told: Told) -> None:
    assert told.retained is not None
    retained = attempt_events.RetainedWork(
        task=action.task,
        attempt=action.number,
        given=True,
        files=told.retained.files,
        listed=told.retained.listed,
        excluded=told.retained.excluded,
    )
    step.record((f"{_key(action.task, action.number)} retained work", retained, None), point="attempt.intended")


def _record_end(step: Step, task: str, number: int, end: AttemptEnd, *, settled: bool) -> None:
    report = end.returned.report
    ended = attempt_events.AttemptEnded(
        task=task,
        attempt=number,
        outcome=report.outcome if report is not None else None,
        reasoned=report is not None and bool(report.reason.strip()),
        handoff=end.returned.handoff is not None,
        **ending(step, end, settled=settled),
    )
    step.record((f"{_key(task, number)} ended", ended, _remains(step, end)), point="attempt.recorded")


def _remains(step: Step, end: AttemptEnd) -> bytes:
    """The private part of an end: prose is redacted, cleaned and cut; a handoff is kept exactly (decision 5)."""
    report, handoff = end.returned.report, end.returned.handoff
    return canonical_json(
        {
            "error": None if end.error is None else kept_text(step, end.error),
            "reason": None if report is None else kept_text(step, report.reason),
            "handoff": None if handoff is None else handoff.decode("utf-8", "surrogateescape"),
            "problems": [kept_text(step, problem) for problem in end.returned.problems],
            "stderr": kept_text(step, end.stderr.decode("utf-8", "replace"), STDERR_LIMIT),
        }
    )


def _outside(step: Step, attempt: AttemptRecord, tree: str) -> tuple[bytes, ...]:
    """The paths that the attempt changed outside the scope and that nobody accepted.

    Judged again, it answers for those alone that were named before: a person may have worked here since.
    """
    state = step.stream.state
    changed = step.hands.watch.changed(attempt.intended.tree, tree)
    beyond = tuple(path for path in outside(step.stream.plan.scope, changed) if path not in state.accepted)
    if attempt.judged is not None and attempt.judged.outside_count <= MAXIMUM_NAMED:
        return tuple(path for path in beyond if path in attempt.judged.outside)
    return beyond


def _position(step: Step, task: str) -> int:
    return [known.id for known in step.stream.state.tasks].index(task) + 1


def _key(task: str, number: int) -> str:
    return f"attempt {task} {number}"


def _kind(task: str) -> Literal["code", "repair"]:
    """Rounds that settle findings are tasks, too, by names that no plan can give."""
    return "repair" if is_repair(task) else "code"
