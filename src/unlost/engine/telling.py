"""The prompt of one attempt: which sections it has, from the unit's record alone (design.md section 3)."""

from __future__ import annotations

from typing import Final

from unlost.engine.stream import UnitStream
from unlost.facts.quoting import path_literal
from unlost.facts.records import dataclass
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
from unlost.research.facts import Brief
from unlost.research.render import for_agent
from unlost.unit.facts import AttemptRecord, CheckRecord, Question, TaskRecord, UnitState

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
    stream: UnitStream,
    task: TaskRecord,
    *,
    changed: tuple[bytes, ...],
    before: tuple[bytes, ...],
    brief: Brief | None,
    nonce: NewNonce,
) -> Told:
    """Compose the prompt of the task's next attempt.

    `changed` are the paths that differ between the unit's base and the capture that this attempt starts on (N.15);
    `before` those that the task's earlier attempts changed. Outputs, brief and answers are fenced; the rest is ours.
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
        brief=None if brief is None else for_agent(brief, nonce=nonce),
        answer=_answers(stream, task, nonce),
    )
    named = ("operator_note", "automatic_resume", "retained_work", "handoff", "brief", "answer")
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


def _answers(stream: UnitStream, task: TaskRecord, nonce: NewNonce) -> str | None:
    """The newest answer to the research and to this task, each with its question (R.13): both are from outside."""
    answered = stream.state.answered
    to_research = [answer for answer in answered if answer.research][-1:]
    to_task = [answer for answer in answered if not answer.research and answer.task == task.id][-1:]
    told = [_answer(stream, answer, nonce) for answer in (*to_research, *to_task)]
    return "\n\n".join(told) or None


def _answer(stream: UnitStream, answer: Question, nonce: NewNonce) -> str:
    about = "research" if answer.research else answer.task
    question = fence("question", about, stream.body(answer.question).decode("utf-8", "replace"), nonce=nonce)
    words = fence("answer", answer.by, stream.body(answer.answer).decode("utf-8", "replace"), nonce=nonce)
    return f"{question}\n{words}"
