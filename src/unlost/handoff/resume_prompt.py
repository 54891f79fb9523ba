"""The prompt that lets a fresh worker go on: from the handoff and its loss report, from nothing else (H.21 to H.24).

Prose of the handoff is redacted, cleaned, cut and fenced; the texts of a fix are exact or not there: one that does
not fit the bound is left out whole and named (decision 5). Lists and markers are unlost's own words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from unlost.facts.errors import UnlostBug
from unlost.facts.quoting import path_text
from unlost.facts.records import dataclass
from unlost.handoff.facts import ExactFix, Handoff
from unlost.handoff.markers import how_to_read, marker, meaning
from unlost.handoff.report import FixFinding, LossReport, Place
from unlost.handoff.transcript import assert_not_transcript
from unlost.host.ids import new_nonce
from unlost.host.redaction import Redactor
from unlost.prompt.fence import NewNonce, exact_fence, fence
from unlost.prompt.notes import DONE_BY_COMMIT

LIMIT: Final = 256 << 10
"""The largest prompt, in bytes, that is made of a handoff."""
LEAST_LIMIT: Final = 8 << 10

# What each part may take of the bound, in sixteenths; the fixes get all that is left.
_SHARES: Final = {"task": 1, "files": 2, "decisions": 2, "tests": 2, "steps": 2, "notes": 1, "left_out": 1}
_NEVER: Final = "Read kept work with the command given. Never pop, apply or drop a stash: others may need it."


@dataclass(frozen=True, kw_only=True)
class _Style:
    """How text from outside is put into the prompt, and how much of it."""

    limit: int
    nonce: NewNonce
    redact: Callable[[str], str]

    def share(self, name: str) -> int:
        return self.limit * _SHARES[name] // 16

    def prose(self, kind: str, share: str, text: str) -> str:
        return fence(kind, "handoff", self.redact(text), nonce=self.nonce, limit=self.share(share))

    def exact(self, kind: str, text: str) -> str:
        return exact_fence(kind, "handoff", text, nonce=self.nonce) if text else "(empty)"


def compile_resume_prompt(
    handoff: Handoff,
    report: LossReport,
    *,
    done: str | None = DONE_BY_COMMIT,
    limit: int = LIMIT,
    nonce: NewNonce = new_nonce,
    redact: Callable[[str], str] | None = None,
) -> str:
    """The text that resumes a handoff's work, at most `limit` bytes (8 KiB or more).

    Every marker comes from `report`, which must have been made from this handoff (H.30; else UnlostBug). `done` is
    the definition of done and its last line; None where the prompt that it becomes part of has its own. Raises
    HandoffInvalid for a transcript (H.8).
    """
    assert_not_transcript(handoff)
    _require_same(handoff, report)
    style = _Style(limit=max(limit, LEAST_LIMIT), nonce=nonce, redact=redact or Redactor())
    head = [*_opening(handoff, style), _files(report, style), *_prose(handoff, style)]
    tail = [*_steps(handoff, style), *([] if done is None else [done])]
    room = style.limit - _size(head) - _size(tail) - style.share("left_out")
    return "\n\n".join([*head, *_fixes(handoff, report, style, room), *tail]) + "\n"


def _require_same(handoff: Handoff, report: LossReport) -> None:
    fixes = [(fix.file, index) for index, fix in enumerate(handoff.exact_fixes)]
    if [(each.file, each.index) for each in report.fixes] != fixes or [each.path for each in report.files] != list(
        handoff.files
    ):
        raise UnlostBug("the loss report was made from another handoff")


def _opening(handoff: Handoff, style: _Style) -> list[str]:
    cap = f" at its cap of {handoff.iteration_cap} iterations" if handoff.iteration_cap else ""
    opening = (
        f"# Resume\n\nAn earlier worker on this task had to stop{cap}. This is its handoff, checked against the tree "
        "as it is now. Do not work out again what it knew: the markers say what stands, what is kept elsewhere, and "
        "what you have to make again."
    )
    return [opening, "## Task\n\n" + style.prose("task", "task", handoff.task)]


def _files(report: LossReport, style: _Style) -> str:
    markers = {each.path: marker(each.state, each.where) for each in report.files}
    lines = [f"{markers[each.path]} {path_text(each.path)}{_reading(each.path, each.where)}" for each in report.files]
    kept, dropped = _fitting(lines, style.share("files"))
    if dropped:
        kept.append(f"and {len(dropped)} more files, which are not listed")
    used = dict.fromkeys((*markers.values(), *(marker(fix.state, fix.where) for fix in report.fixes)))
    words = dict.fromkeys(f"- {each}: {meaning(each)}" for each in list(used)[:12])
    kept = kept or ["none is named"]
    advice = [_NEVER] if report.recoverable else []
    return "## Files\n\n" + "\n".join(kept) + "\n\n" + "\n".join((*words, *advice))


def _prose(handoff: Handoff, style: _Style) -> list[str]:
    parts = []
    if handoff.design_decisions:
        text = "\n".join(
            f"{number}. {each.decision}" + (f"\n   because: {each.reason}" if each.reason else "")
            for number, each in enumerate(handoff.design_decisions, 1)
        )
        parts.append("## Design decisions\n\n" + style.prose("decisions", "decisions", text))
    if handoff.failing_tests:
        text = "\n".join(
            f"{number}. {each.test}\n   expected: {each.expected}\n   observed: {each.observed}"
            for number, each in enumerate(handoff.failing_tests, 1)
        )
        parts.append("## Failing tests\n\n" + style.prose("failing_tests", "tests", text))
    return parts


def _fixes(handoff: Handoff, report: LossReport, style: _Style, room: int) -> list[str]:
    """The fixes in the handoff's order; when room is short, those that are still to be made are kept first."""
    if not handoff.exact_fixes:
        return []
    texts = [_fix(fix, finding, style) for fix, finding in zip(handoff.exact_fixes, report.fixes, strict=True)]
    kept: set[int] = set()
    for finding in sorted(report.fixes, key=lambda each: each.state == "applied"):
        size = len(texts[finding.index].encode("utf-8", "surrogateescape")) + 2
        if size <= room:
            room -= size
            kept.add(finding.index)
    parts = ["## Exact fixes", *(text for index, text in enumerate(texts) if index in kept)]
    missing = [f"- {_title(report.fixes[index])}" for index in range(len(texts)) if index not in kept]
    if missing:
        named, rest = _fitting(missing, style.share("left_out") - 200)
        more = [f"- and {len(rest)} more"] if rest else []
        parts.append(
            f"{len(missing)} fixes do not fit into this prompt and are left out whole:\n" + "\n".join((*named, *more))
        )
    return parts


def _fix(fix: ExactFix, finding: FixFinding, style: _Style) -> str:
    parts = [
        f"### {_title(finding)}{_reading(finding.file, finding.where)}",
        "anchor:\n" + style.exact("anchor", fix.anchor),
        "before:\n" + style.exact("before", fix.before),
        "after:\n" + style.exact("after", fix.after),
    ]
    return "\n\n".join(parts)


def _title(finding: FixFinding) -> str:
    return f"{marker(finding.state, finding.where)} {path_text(finding.file)} (fix {finding.index + 1})"


def _reading(path: bytes, where: Place | None) -> str:
    command = how_to_read(path, where)
    return f" · {command}" if command else ""


def _steps(handoff: Handoff, style: _Style) -> list[str]:
    parts = []
    if handoff.remaining_steps:
        text = "\n".join(f"{number}. {step}" for number, step in enumerate(handoff.remaining_steps, 1))
        parts.append("## Remaining steps\n\n" + style.prose("remaining_steps", "steps", text))
    notes = "\n\n".join(text for text in (handoff.notes, handoff.git_status) if text)
    if notes:
        parts.append("## Notes\n\n" + style.prose("notes", "notes", notes))
    return parts


def _fitting(lines: Sequence[str], room: int) -> tuple[list[str], list[str]]:
    """(the first lines that fit into so many bytes, the rest)."""
    for number, line in enumerate(lines):
        room -= len(line.encode("utf-8", "surrogateescape")) + 1
        if room < 0:
            return list(lines[:number]), list(lines[number:])
    return list(lines), []


def _size(parts: Iterable[str]) -> int:
    return sum(len(part.encode("utf-8", "surrogateescape")) + 2 for part in parts)
