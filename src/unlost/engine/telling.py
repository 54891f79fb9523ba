"""The prompt of one attempt: which sections it has, from the unit's record alone (design.md section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from unlost.engine.stream import UnitStream
from unlost.facts.quoting import path_literal
from unlost.plan.facts import Plan, Task
from unlost.plan.scope import in_scope
from unlost.prompt.compose import Contract, Prompt, Sections, compose
from unlost.prompt.fence import NewNonce, fence
from unlost.prompt.notes import (
    AUTOMATIC_RESUME,
    DONE_COMMITTED,
    DONE_UNCOMMITTED,
    RetainedWorkNote,
    retained_work_note,
)
from unlost.unit.facts import AttemptRecord, CheckRecord, TaskRecord, UnitState

_MAXIMUM_LISTED: Final = 50
_OUTPUT_LIMIT: Final = 4_000
_ENDS: Final = {
    "unchanged": "it left the tree as it had found it, so the task is not done",
    "not_done": "it was not done",
    "asked": "it asked for a person",
}


@dataclass(frozen=True, kw_only=True)
class Told:
    """A composed prompt and which notes it carries."""

    prompt: Prompt
    notes: tuple[str, ...]
    retained: RetainedWorkNote | None


def tell(
    stream: UnitStream, task: TaskRecord, *, changed: tuple[bytes, ...], before: tuple[bytes, ...], nonce: NewNonce
) -> Told:
    """Compose the prompt of the task's next attempt.

    `changed` are the paths that differ between the unit's base and the capture that this attempt starts on (N.15);
    `before` those that the task's earlier attempts changed. Outputs and answers are fenced; the rest is ours.
    """
    state, plan = stream.state, stream.plan
    planned = plan.task(task.id)
    retained = None
    if state.revision > 1:
        retained = retained_work_note(changed, lambda path: in_scope(plan.scope, path))
    earlier = _earlier(state, task)
    sections = Sections(
        contract=_contract(plan, planned),
        operator_note=stream.note,
        automatic_resume=AUTOMATIC_RESUME if earlier is not None and _interrupted(earlier) else None,
        retained_work=retained.text if retained is not None else None,
        handoff=None if earlier is None else _handoff(stream, earlier, before, nonce),
        answer=_answer(stream, task, nonce),
    )
    named = ("operator_note", "automatic_resume", "retained_work", "handoff", "answer")
    notes = tuple(name for name in named if getattr(sections, name) is not None)
    return Told(prompt=compose(sections), notes=notes, retained=retained)


def _contract(plan: Plan, task: Task) -> Contract:
    return Contract(
        title=plan.title,
        goal=plan.goal,
        task=task.id,
        text=task.text,
        acceptance=task.acceptance,
        scope=plan.scope.paths,
        paths=task.paths,
        reverts=task.reverts,
        checks=tuple(check.run for check in task.checks),
        done=DONE_UNCOMMITTED if plan.commit.mode == "never" else DONE_COMMITTED,
    )


def _earlier(state: UnitState, task: TaskRecord) -> AttemptRecord | None:
    """The attempt before, within this revision; one that never ran says nothing."""
    last = task.last
    if last is None or last.intended.revision != state.revision:
        return None
    never_ran = last.ended is not None and last.ended.reason in ("not_started", "busy")
    return None if never_ran else last


def _interrupted(attempt: AttemptRecord) -> bool:
    """Whether an error ended it, neither the agent by itself nor a person (N.5)."""
    assert attempt.ended is not None
    return not attempt.well and attempt.ended.reason != "stopped"


def _handoff(stream: UnitStream, attempt: AttemptRecord, before: tuple[bytes, ...], nonce: NewNonce) -> str:
    """What is known of the attempt before: its end, what it changed, which checks failed, what it handed over."""
    assert attempt.ended is not None
    why = _ENDS.get(attempt.result or "not_done", "it was not done")
    lines = [f"Attempt {attempt.number} of this task ended ({attempt.ended.reason}); {why}."]
    lines += _changes(before)
    for check in attempt.checks:
        if not check.ended.passed:
            lines.append(_failed(stream, check, nonce))
    remains = stream.remains(attempt.ended_at)
    for name in ("reason", "handoff"):
        text = remains.get(name)
        if text:
            lines.append(fence(f"attempt_{name}", f"attempt {attempt.number}", str(text), nonce=nonce))
    return "\n".join(lines)


def _changes(before: tuple[bytes, ...]) -> list[str]:
    if not before:
        return ["The earlier attempts of this task left the tree as it was."]
    lines = ["The earlier attempts of this task changed these files; their work is in the tree:"]
    lines += [f"- {path_literal(path)}" for path in before[:_MAXIMUM_LISTED]]
    if len(before) > _MAXIMUM_LISTED:
        lines.append(f"and {len(before) - _MAXIMUM_LISTED} more")
    return lines


def _failed(stream: UnitStream, record: CheckRecord, nonce: NewNonce) -> str:
    check = record.ended
    end = "ran out of time" if check.timed_out else f"ended with exit code {check.exit_code}"
    output = stream.body(record.output).decode("utf-8", "replace")
    told = f"Check {path_literal(check.name.encode())} {end}:"
    return f"{told}\n{fence('check_output', check.name, output, nonce=nonce, limit=_OUTPUT_LIMIT)}"


def _answer(stream: UnitStream, task: TaskRecord, nonce: NewNonce) -> str | None:
    """The newest answer to a question of this task, with the question; both are from outside."""
    answers = [answer for answer in stream.state.answered if answer.task == task.id]
    if not answers:
        return None
    newest = answers[-1]
    question = fence("question", task.id, stream.body(newest.question).decode("utf-8", "replace"), nonce=nonce)
    answer = fence("answer", newest.by, stream.body(newest.answer).decode("utf-8", "replace"), nonce=nonce)
    return f"{question}\n{answer}"
