"""The prompt of one attempt: which sections it has, from the unit's record alone (design.md section 3)."""

from __future__ import annotations

from typing import Final

from unlost.engine.readers import findings_section
from unlost.engine.stream import UnitStream
from unlost.facts.quoting import path_literal
from unlost.facts.records import dataclass
from unlost.handoff.facts import HandoffSource
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
from unlost.unit.facts import AttemptRecord, CheckRecord, Question, TaskRecord

_MAXIMUM_LISTED: Final = 50
_OUTPUT_LIMIT: Final = 4_000
_ENDS: Final = {
    "unchanged": "it left the tree as it had found it, so the task is not done",
    "not_done": "it was not done",
    "asked": "it asked for a person",
}


@dataclass(frozen=True, kw_only=True)
class Told:
    """A composed prompt, which notes it carries, and where the handoff in it comes from."""

    prompt: Prompt
    notes: tuple[str, ...]
    retained: RetainedWorkNote | None
    handoff: HandoffSource | None


def tell(
    stream: UnitStream,
    task: TaskRecord,
    *,
    changed: tuple[bytes, ...],
    before: tuple[bytes, ...],
    brief: Brief | None,
    resume: str | None,
    nonce: NewNonce,
) -> Told:
    """Compose the prompt of the task's next attempt.

    `changed` are the paths that differ between the unit's base and the capture that this attempt starts on (N.15);
    `before` those that the task's earlier attempts changed. `resume` is the compiled handoff of the attempt before.
    Outputs, brief, findings and answers are fenced; the rest is ours.
    """
    state, plan = stream.state, stream.plan
    planned = plan.task(task.id)
    retained = None
    if state.revision > 1:
        retained = retained_work_note(changed, lambda path: in_scope(plan.scope, path))
    earlier = task.last_that_ran(state.revision)
    sections = Sections(
        contract=_contract(plan, planned),
        operator_note=stream.note,
        automatic_resume=AUTOMATIC_RESUME if earlier is not None and _interrupted(earlier) else None,
        retained_work=retained.text if retained is not None else None,
        handoff=None if earlier is None else _handoff(stream, earlier, before, resume, nonce),
        brief=None if brief is None else for_agent(brief, nonce=nonce),
        findings=findings_section(stream, task.id, nonce),
        answer=_answers(stream, task, nonce),
    )
    named = ("operator_note", "automatic_resume", "retained_work", "handoff", "brief", "findings", "answer")
    notes = tuple(name for name in named if getattr(sections, name) is not None)
    source = None if earlier is None or earlier.handoff is None else earlier.handoff.taken.source
    return Told(prompt=compose(sections), notes=notes, retained=retained, handoff=source)


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


def _interrupted(attempt: AttemptRecord) -> bool:
    """Whether an error ended it, neither the agent by itself nor a person (N.5)."""
    assert attempt.ended is not None
    return not attempt.well and attempt.ended.reason != "stopped"


def _handoff(
    stream: UnitStream, attempt: AttemptRecord, before: tuple[bytes, ...], resume: str | None, nonce: NewNonce
) -> str:
    """What is known of the attempt before: its end, what it changed, which checks failed, what it hands over.

    A derived handoff holds the failed checks already.
    """
    assert attempt.ended is not None
    why = _ENDS.get(attempt.result or "not_done", "it was not done")
    lines = [f"Attempt {attempt.number} of this task ended ({attempt.ended.reason}); {why}."]
    lines += _changes(before)
    if attempt.handoff is None or attempt.handoff.taken.source == "asked":
        lines += [_failed(stream, check, nonce) for check in attempt.checks if not check.ended.passed]
    reason = stream.remains(attempt.ended_at).get("reason")
    if reason:
        lines.append(fence("attempt_reason", f"attempt {attempt.number}", str(reason), nonce=nonce))
    if resume is not None:
        lines.append(f"\n{resume}")
    return "\n".join(lines).rstrip("\n")


def _changes(before: tuple[bytes, ...]) -> list[str]:
    if not before:
        return ["The tree is as it was before the earlier attempts of this task."]
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
