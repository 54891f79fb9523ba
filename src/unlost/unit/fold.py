"""From events to state: pure, total over the declared events, one small function for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from unlost.facts.records import replace
from unlost.ledger.events import Event
from unlost.ledger.protocol import StreamDamaged
from unlost.plan.facts import Step
from unlost.unit import (
    attempt_events,
    commit_fold,
    handoff_fold,
    limit_fold,
    maintenance_fold,
    origin_fold,
    publish_fold,
    research_fold,
    review_fold,
)
from unlost.unit import events as said
from unlost.unit.facts import (
    FINISHED,
    AttemptRecord,
    CheckRecord,
    Parked,
    Question,
    TaskRecord,
    TimedBoundary,
    UnitState,
)
from unlost.unit.lease import after_wait, resumed, spend


def fold(events: Iterable[Event], state: UnitState | None = None) -> UnitState | None:
    """The state after these events, which follow those that made `state`; None for no events at all.

    Raises StreamDamaged for an event that cannot stand where it stands.
    """
    event = None
    for event in events:
        payload = said.EVENTS.payload(event)
        try:
            state = _admitted(event, payload) if state is None else _STEPS[type(payload)](state, event, payload)
        except (KeyError, IndexError, AttributeError) as error:
            raise StreamDamaged(event.stream, f"event {event.sequence} ({event.kind}) has no place here") from error
    return state if state is None or event is None else replace(state, sequence=event.sequence)


def _admitted(event: Event, payload: said.Admitted) -> UnitState:
    first = payload.boundary
    return UnitState(
        unit=event.stream,
        sequence=event.sequence,
        admitted_at=event.at,
        title=payload.title,
        digest=payload.digest,
        requester=payload.requester,
        workspace=payload.workspace,
        place=payload.place,
        root_digest=payload.root_digest,
        epoch=payload.epoch,
        plan=event.sequence,
        terms=payload.terms,
        base_tree=first.tree,
        tree=first.tree,
        tree_now=first.tree,
        proof=first.proof,
        phase="admitted",
        steps=payload.steps,
        fresh_attempts=payload.fresh_attempts,
        contracts=(payload.digest,),
        tasks=_selected(payload.steps, tuple(TaskRecord(id=name) for name in payload.tasks)),
        boundaries=(TimedBoundary(at=event.at, taken=first),),
    )


def _revision(state: UnitState, event: Event, payload: said.RevisionOpened) -> UnitState:
    known = {task.id: task for task in state.tasks}
    tasks = tuple(_revised(known.get(name), name, kept=name in payload.kept) for name in payload.tasks)
    steps = state.steps if payload.steps is None else payload.steps
    return replace(
        review_fold.revised(state, amended=payload.cause == "amend"),
        title=payload.title,
        digest=payload.digest,
        revision=payload.revision,
        steps=steps,
        contracts=(*state.contracts, payload.digest),
        plan=event.sequence,
        terms=payload.terms,
        tree=payload.paused_tree,
        paused_tree=payload.paused_tree,
        resumed_at=event.sequence,
        tasks=(*_selected(steps, tasks), *review_fold.kept_repairs(state)),
        checks=(),
        phase="admitted",
        reason="",
        fresh=False,
        waiting=None,
        stop_asked=False,
    )


def _selected(steps: tuple[Step, ...], tasks: tuple[TaskRecord, ...]) -> tuple[TaskRecord, ...]:
    """The tasks as the workflow takes them: without its coding step nobody works on them."""
    if "code" in steps:
        return tasks
    return tuple(task if task.settled else replace(task, state="skipped", reason="not_selected") for task in tasks)


def _revised(known: TaskRecord | None, name: str, *, kept: bool) -> TaskRecord:
    """A task in a new revision: kept as it is, reopened, or new; retained attempts stay on record."""
    if known is None:
        return TaskRecord(id=name)
    if kept:
        return known
    opened = None if known.state in FINISHED else known.opened
    return TaskRecord(id=name, opened=opened, attempts=known.attempts)


def _boundary(state: UnitState, event: Event, payload: said.BoundaryTaken) -> UnitState:
    boundaries = (*state.boundaries, TimedBoundary(at=event.at, taken=payload))
    state = replace(state, boundaries=boundaries, proof=payload.proof, fresh=True)
    if payload.task is not None and payload.attempt is not None:
        # It records what was captured when the attempt was judged; checks may have changed the tree since.
        task = state.task(payload.task)
        return _put(state, _with(task, replace(task.attempts[-1], recorded=True)))
    state = replace(state, tree_now=payload.tree)
    if payload.kind == "before_task" and payload.task is not None and payload.proof.trouble is None:
        return replace(_put(state, replace(state.task(payload.task), opened=payload)), phase="coding")
    return state


def _intended(state: UnitState, event: Event, payload: attempt_events.AttemptIntended) -> UnitState:
    task = state.task(payload.task)
    attempt = AttemptRecord(intended=payload, prompt=event.sequence)
    task = replace(task, state="running", attempts=(*task.attempts, attempt))
    if payload.writer is not None:
        state = origin_fold.with_writer(state, payload.writer)
    return replace(_put(state, task), phase="coding")


def _ended(state: UnitState, event: Event, payload: attempt_events.AttemptEnded) -> UnitState:
    task = state.task(payload.task)
    attempt = replace(task.attempts[-1], ended=payload, ended_at=event.sequence)
    state = replace(_put(state, _with(task, attempt)), spent=spend(state.spent, payload), fresh=False)
    return limit_fold.with_limit(state, event, payload.limit)


def _judged(state: UnitState, _event: Event, payload: attempt_events.AttemptJudged) -> UnitState:
    task = state.task(payload.task)
    attempt = replace(task.attempts[-1], judged=payload, recorded=False, checks=())
    research = state.research
    if research is not None and payload.round == 1:
        # A later round judges what a person did since, too: that is no progress of the unit's own (R.33).
        research = replace(research, own=(*research.own, payload.snapshot))
    state = replace(_put(state, _with(task, attempt)), research=research)
    return replace(state, tree_now=payload.tree, proof=payload.proof, fresh=True)


def _check_ended(state: UnitState, event: Event, payload: attempt_events.CheckEnded) -> UnitState:
    # What a check changes before the first attempt of a revision is no change to the paused tree (N.26).
    paused = payload.tree if state.paused_tree == state.tree_now else state.paused_tree
    state = replace(state, tree_now=payload.tree, paused_tree=paused)
    record = CheckRecord(ended=payload, output=event.sequence)
    if payload.task is None:
        return replace(state, checks=(*state.checks, record), phase="checking")
    task = state.task(payload.task)
    attempt = task.attempts[-1]
    return _put(state, _with(task, replace(attempt, checks=(*attempt.checks, record))))


def _check_intended(state: UnitState, _event: Event, payload: attempt_events.CheckIntended) -> UnitState:
    return replace(state, phase="checking") if payload.task is None else state


def _closed(state: UnitState, _event: Event, payload: attempt_events.AttemptClosed) -> UnitState:
    task = state.task(payload.task)
    return _put(state, _with(task, replace(task.attempts[-1], result=payload.result)))


def _settled(state: UnitState, _event: Event, payload: attempt_events.TaskSettled) -> UnitState:
    return _put(state, replace(state.task(payload.task), state=payload.state, reason=payload.reason))


def _restore_intended(state: UnitState, _event: Event, payload: said.RestoreIntended) -> UnitState:
    return replace(state, restoring=payload.paths)


def _restore_done(state: UnitState, _event: Event, _payload: said.RestoreDone) -> UnitState:
    paths = state.restoring or ()
    return replace(state, restoring=None, restored=(*state.restored, paths), fresh=False)


def _blocked(state: UnitState, event: Event, payload: said.Blocked) -> UnitState:
    if payload.reason == "recoverable":
        state = handoff_fold.gated(state, event, payload)
    return replace(state, phase="blocked", reason=payload.reason, waiting=payload)


def _paused(state: UnitState, _event: Event, payload: said.Paused) -> UnitState:
    return replace(state, phase="paused", reason=payload.reason, waiting=payload)


def _asked(state: UnitState, event: Event, payload: said.QuestionAsked) -> UnitState:
    parked = Parked(
        question=payload.question,
        asked_at=event.at,
        left=payload.left,
        body=event.sequence,
        research=payload.task is None,
        expires_at=None if payload.timeout is None else event.at + payload.timeout,
    )
    return replace(state, phase="parked", reason="question", waiting=parked)


def _answered(state: UnitState, event: Event, payload: said.QuestionAnswered) -> UnitState:
    if not isinstance(state.waiting, Parked) or state.waiting.question != payload.question:
        raise KeyError(payload.question)
    task = state.current
    answer = Question(
        id=payload.question,
        task=task.id if task else "",
        research=state.waiting.research,
        question=state.waiting.body,
        answer=event.sequence,
        by=payload.by,
    )
    terms = after_wait(state.terms, left=state.waiting.left, now=event.at)
    return replace(_going_on(state), terms=terms, answered=(*state.answered, answer), fresh=False)


def _scope_accepted(state: UnitState, _event: Event, payload: said.ScopeAccepted) -> UnitState:
    return replace(state, accepted=state.accepted | set(payload.paths))


def _check_accepted(state: UnitState, _event: Event, payload: said.CheckAccepted) -> UnitState:
    return replace(state, redefined=state.redefined | {payload.definitions})


def _tree_accepted(state: UnitState, _event: Event, payload: said.TreeAccepted) -> UnitState:
    return replace(state, paused_tree=payload.tree, tree=payload.tree)


def _resumed(state: UnitState, event: Event, payload: said.Resumed) -> UnitState:
    if not isinstance(state.waiting, Parked):
        state = _going_on(state)
    return replace(
        state,
        epoch=payload.epoch,
        terms=payload.terms,
        restore_lost=payload.restore,
        spent=resumed(state.spent),
        resumed_at=event.sequence,
        resumes=state.resumes + 1,
        fresh=False,
    )


def _stop_asked(state: UnitState, _event: Event, _payload: said.StopAsked) -> UnitState:
    return replace(state, stop_asked=True, waiting=None)


def _over(state: UnitState, _event: Event, payload: said.Ended) -> UnitState:
    tasks = tuple(task if task.settled else _abandoned(task, payload.reason) for task in state.tasks)
    return replace(state, phase=payload.phase, reason=payload.reason, waiting=None, tasks=tasks)


def _going_on(state: UnitState) -> UnitState:
    """The state after a wait: the phase is that of the work that goes on."""
    phase: Any = "coding" if state.current is not None else "checking"
    if phase == "coding" and "research" in state.steps and (state.research is None or not state.research.is_usable):
        phase = "research"
    return replace(state, phase=phase, reason="", waiting=None)


def _abandoned(task: TaskRecord, reason: str) -> TaskRecord:
    return replace(task, state="failed" if task.attempts else "skipped", reason=reason)


def _put(state: UnitState, task: TaskRecord) -> UnitState:
    return replace(state, tasks=tuple(task if known.id == task.id else known for known in state.tasks))


def _with(task: TaskRecord, attempt: AttemptRecord) -> TaskRecord:
    return replace(task, attempts=(*task.attempts[:-1], attempt))


def _same(state: UnitState, _event: Event, _payload: attempt_events.RetainedWork) -> UnitState:
    return state


_STEPS: Final[dict[type, Callable[[UnitState, Event, Any], UnitState]]] = {
    said.RevisionOpened: _revision,
    said.BoundaryTaken: _boundary,
    **research_fold.STEPS,
    **handoff_fold.STEPS,
    **origin_fold.STEPS,
    **commit_fold.STEPS,
    **publish_fold.STEPS,
    **review_fold.STEPS,
    **maintenance_fold.STEPS,
    **limit_fold.STEPS,
    attempt_events.AttemptIntended: _intended,
    attempt_events.RetainedWork: _same,
    attempt_events.AttemptEnded: _ended,
    attempt_events.AttemptJudged: _judged,
    attempt_events.CheckIntended: _check_intended,
    attempt_events.CheckEnded: _check_ended,
    attempt_events.AttemptClosed: _closed,
    attempt_events.TaskSettled: _settled,
    said.RestoreIntended: _restore_intended,
    said.RestoreDone: _restore_done,
    said.Blocked: _blocked,
    said.Paused: _paused,
    said.QuestionAsked: _asked,
    said.QuestionAnswered: _answered,
    said.ScopeAccepted: _scope_accepted,
    said.CheckAccepted: _check_accepted,
    said.TreeAccepted: _tree_accepted,
    said.Resumed: _resumed,
    said.StopAsked: _stop_asked,
    said.Ended: _over,
}
