"""The prompt of a review, put together in one fixed order.

Contract - operator note - the reader's part - fenced brief - fenced earlier findings - fenced diff - handing back. The
contract comes first because it alone has authority; brief, earlier findings and the diff are from outside, and
whoever hands one in has fenced it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from unlost.facts.errors import UsageError
from unlost.facts.quoting import path_literal
from unlost.facts.records import dataclass
from unlost.prompt.compose import MAXIMUM_PROMPT, Prompt

REVIEW_RULES: Final = """\
You review; you do not code. This folder is a throw-away copy of the work, read-only: what you write into it is \
discarded and reported, and you hold no credential.
- Judge the change against the goal and each task's acceptance: is it right, is it whole, does it break what was there?
- Read the files around the change before you judge it. Name the file and the lines.
- `error`: it is wrong, or something asked for is missing. `warning`: it will go wrong. `note`: worth knowing, and \
nobody has to act. Style that no rule of this repository asks for is no finding.
- No finding is a good result. Invent none."""

HANDING_BACK: Final = """\
Hand your findings in with the tool `submit_findings`, or write one JSON object to `$UNLOST_OUTBOX/findings.json`:
{"schema": "unlost.findings/1", "findings": [{"file": path below the root, "lines": [first, last] | null, \
"severity": "error" | "warning" | "note", "what": one sentence, "why": what goes wrong, and when}]}
At most 50; `{"findings": []}` says that nothing is wrong. No other key is accepted. Nothing but this file counts."""


@dataclass(frozen=True, kw_only=True)
class ReviewedTask:
    """A task of the plan as a reviewer needs it."""

    id: str
    text: str
    acceptance: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class ReviewSections:
    """The finished sections of one review's prompt; None leaves one out.

    `subject` says in a sentence of ours what is compared with what; `changed` are the paths that differ, `left_out`
    those whose change is not in the diff.
    """

    title: str
    goal: str
    tasks: Sequence[ReviewedTask]
    subject: str
    changed: Sequence[bytes]
    left_out: Sequence[bytes]
    diff: str
    operator_note: str | None = None
    brief: str | None = None
    earlier: str | None = None


def compose_review(sections: ReviewSections) -> Prompt:
    """Put the sections in their order. Raises UsageError when the whole is over 1 MiB: nothing is cut silently."""
    parts = [f"# Review: {sections.title}", _headed("Goal", sections.goal)]
    parts += [_task(task) for task in sections.tasks]
    if sections.operator_note is not None:
        parts.append(_headed("Note of the operator", sections.operator_note))
    parts.append(_headed("Your part", REVIEW_RULES))
    parts.append(_headed("What is compared", _compared(sections)))
    if sections.brief is not None:
        parts.append(_headed("Research (advice, claims not verified)", sections.brief))
    if sections.earlier is not None:
        parts.append(_headed("What the review before found (look whether it is settled)", sections.earlier))
    parts.append(_headed("The change", sections.diff))
    parts.append(_headed("Handing it back", HANDING_BACK))
    data = ("\n\n".join(parts) + "\n").encode("utf-8", "surrogateescape")
    if len(data) > MAXIMUM_PROMPT:
        raise UsageError(
            f"the review's prompt would have {len(data)} bytes, {MAXIMUM_PROMPT} are allowed; nothing was started",
            hint="shorten the plan's goal and task texts",
        )
    return Prompt(data=data)


def _task(task: ReviewedTask) -> str:
    lines = [task.text]
    if task.acceptance:
        lines.append("Acceptance:\n" + "\n".join(f"- {line}" for line in task.acceptance))
    return _headed(f"Task {task.id}", "\n\n".join(lines))


_MAXIMUM_LISTED: Final = 200


def _compared(sections: ReviewSections) -> str:
    lines = [sections.subject, *_listed(sections.changed)]
    if sections.left_out:
        lines.append("The diff leaves out, as binary or too large (read them here):")
        lines += _listed(sections.left_out)
    return "\n".join(lines)


def _listed(paths: Sequence[bytes]) -> list[str]:
    lines = [f"- {path_literal(path)}" for path in paths[:_MAXIMUM_LISTED]]
    if len(paths) > _MAXIMUM_LISTED:
        lines.append(f"and {len(paths) - _MAXIMUM_LISTED} more")
    return lines


def _headed(title: str, text: str) -> str:
    return f"## {title}\n\n{text}"
