"""The one place where a prompt is put together: sections in one fixed order (design.md, section 3).

Contract - operator note - automatic-resume note - retained-work note - resume markers and handoff - fenced brief -
fenced findings - fenced human answer. The contract comes first because it alone has authority, what is from outside
comes last; whoever hands in a section has fenced it. This module knows no feature: it takes finished sections.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from unlost.facts.errors import UsageError
from unlost.facts.quoting import path_literal
from unlost.facts.records import dataclass
from unlost.prompt.notes import LOOP_RULES, REPORTING

MAXIMUM_PROMPT: Final = 1 << 20
"""Bytes; a plan of 256 KiB, a handoff of 256 KiB and the fixed texts fit in."""


@dataclass(frozen=True, kw_only=True)
class Contract:
    """What the agent is asked to do, in the requester's own words; `goal` and `text` are never changed.

    `acceptance` is text for the agent; `scope` and `paths` are patterns; `done` is one of the definitions of done.
    """

    title: str
    goal: str
    task: str
    text: str
    acceptance: Sequence[str]
    scope: Sequence[str]
    paths: Sequence[str]
    reverts: Sequence[str]
    checks: Sequence[Sequence[str]]
    done: str


@dataclass(frozen=True, kw_only=True)
class Sections:
    """The finished sections of one prompt; None leaves one out."""

    contract: Contract
    operator_note: str | None = None
    automatic_resume: str | None = None
    retained_work: str | None = None
    handoff: str | None = None
    brief: str | None = None
    findings: str | None = None
    answer: str | None = None


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """The exact bytes that an agent is given, which are stored before they are sent (decision 7)."""

    data: bytes

    @property
    def digest(self) -> str:
        """The sha256 as hex: public metadata."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def size(self) -> int:
        """The length in bytes: public metadata."""
        return len(self.data)


def compose(sections: Sections) -> Prompt:
    """Put the sections in their order. Raises UsageError when the whole is over 1 MiB: nothing is cut silently."""
    parts = [_contract(sections.contract)]
    if sections.operator_note is not None:
        parts.append(_headed("Note of the operator", sections.operator_note))
    if sections.automatic_resume is not None:
        parts.append(_headed("Automatic resume", sections.automatic_resume))
    if sections.retained_work is not None:
        parts.append(_headed("Work that is already here", sections.retained_work))
    if sections.handoff is not None:
        parts.append(_headed("Handoff of the attempt before", sections.handoff))
    if sections.brief is not None:
        parts.append(_headed("Research (advice, claims not verified)", sections.brief))
    if sections.findings is not None:
        parts.append(_headed("Findings (of a review, to be judged and settled)", sections.findings))
    if sections.answer is not None:
        parts.append(_headed("A person's answer (recheck it, it proves nothing)", sections.answer))
    data = ("\n\n".join(parts) + "\n").encode("utf-8", "surrogateescape")
    if len(data) > MAXIMUM_PROMPT:
        raise UsageError(
            f"the prompt would have {len(data)} bytes, {MAXIMUM_PROMPT} are allowed; nothing was started",
            hint="shorten the plan's goal and task texts",
        )
    return Prompt(data=data)


def _contract(contract: Contract) -> str:
    parts = [
        f"# {contract.title}",
        _headed("Goal", contract.goal),
        _headed(f"Your task: {contract.task}", contract.text),
    ]
    if contract.acceptance:
        parts.append(_headed("Acceptance", "\n".join(f"- {line}" for line in contract.acceptance)))
    if contract.checks:
        commands = "\n".join(f"- {' '.join(path_literal(word.encode()) for word in argv)}" for argv in contract.checks)
        parts.append(_headed("Checks that will be run (argv)", commands))
    parts.append(_headed("Scope", _scope(contract)))
    parts.append(LOOP_RULES)
    parts.append(REPORTING)
    parts.append(contract.done)
    return "\n\n".join(parts)


def _scope(contract: Contract) -> str:
    lines = [f"You may change: {_listed(contract.scope)}"]
    if contract.paths:
        lines.append(f"This task may rewrite, move or delete earlier work in: {_listed(contract.paths)}")
    if contract.reverts:
        lines.append(f"This task puts back on purpose: {_listed(contract.reverts)}")
    return "\n".join(lines)


def _listed(patterns: Sequence[str]) -> str:
    return ", ".join(path_literal(pattern.encode("utf-8", "surrogateescape")) for pattern in patterns)


def _headed(title: str, text: str) -> str:
    return f"## {title}\n\n{text}"
