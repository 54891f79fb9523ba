"""Ends and waits: restore, block, pause, ask, give up, finish."""

from __future__ import annotations

from unlost.engine.step import Step, passed
from unlost.unit import actions, attempt_events, events
from unlost.unit.lease import cost_left, time_left, tokens_left
from unlost.unit.proof import MAXIMUM_NAMED


def restore_lost(step: Step, action: actions.RestoreLost) -> None:
    """Put lost paths back on the plan's word; an interrupted restore is asked for again and finds what is back."""
    state = step.stream.state
    key = f"restore {len(state.restored)}"
    if state.restoring is None:
        intended = events.RestoreIntended(paths=action.paths, boundary=state.last_boundary.n)
        step.intend(f"{key} intended", intended, point="restore.intended")
    done = step.hands.watch.restore(action.paths)
    passed("restore.returned")
    step.record((f"{key} done", done, None), point="restore.recorded")


def block(step: Step, action: actions.Block) -> None:
    """Record that the unit waits for a person, and why; a tree that is not the paused one is told by its paths."""
    paths, count, paused = action.paths, action.count, step.stream.state.paused_tree
    if action.reason == "paused_tree" and paused is not None:
        paths = step.hands.watch.changed(paused, step.stream.state.tree_now)
        count = len(paths)
    blocked = events.Blocked(
        reason=action.reason,
        task=action.task,
        paths=paths[:MAXIMUM_NAMED],
        count=count,
        refusals=action.refusals,
    )
    step.intend(_next(step, "blocked"), blocked, point="unit.waiting")


def pause(step: Step, action: actions.Pause) -> None:
    """Record that the unit waits for a larger budget."""
    step.intend(_next(step, "paused"), events.Paused(reason=action.reason), point="unit.waiting")


def ask_person(step: Step, action: actions.AskPerson) -> None:
    """Park the unit: the agent's own reason is the question, and what is left of the lease is kept."""
    attempt = step.stream.state.task(action.task).attempts[-1]
    text = step.stream.remains(attempt.ended_at).get("reason") or "The agent reported that it is blocked."
    question_asked(step, task=action.task, attempt=action.attempt, text=str(text))


def question_asked(step: Step, *, task: str | None, attempt: int | None, text: str) -> None:
    """Record a question and what is left of the lease (R.17): from then on no process is held and nothing is spent."""
    state = step.stream.state
    asked = events.QuestionAsked(
        question=f"q-{state.sequence + 1}",
        task=task,
        attempt=attempt,
        left=time_left(state.terms, step.hands.clock.now()),
        cost_left=cost_left(state.terms, state.spent),
        tokens_left=tokens_left(state.terms, state.spent),
        turns=state.terms.turns,
        attempts=state.terms.attempts,
        timeout=step.stream.plan.research.answer_timeout,
    )
    step.intend(_next(step, "asked"), asked, body=text.encode(), point="unit.waiting")


def fail_task(step: Step, action: actions.FailTask) -> None:
    """Record that a task is given up."""
    state = step.stream.state
    settled = attempt_events.TaskSettled(
        task=action.task, state="failed", reason=action.reason, boundary=state.last_boundary.n
    )
    step.intend(f"task {action.task} settled r{state.revision}", settled, point="task.failed")


def finish(step: Step, action: actions.Finish) -> None:
    """Record the end."""
    ended = events.Ended(phase=action.phase, reason=action.reason)
    step.intend(_next(step, "ended"), ended, point="unit.ended")


def _next(step: Step, word: str) -> str:
    """A key for what may happen more than once: it names its own place, so two supervisors cannot both say it."""
    return f"{word} {step.stream.state.sequence + 1}"
