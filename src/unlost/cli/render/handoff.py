"""Handoffs as text and as JSON: whether a file is one, what became of its work, how a resume went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final

from unlost.app.dispatching import Dispatched
from unlost.app.handoffs import Resumption
from unlost.cli.palette import Palette
from unlost.cli.render.amounts import count, listed
from unlost.facts.errors import Problem
from unlost.facts.quoting import path_json, path_text
from unlost.handoff.facts import Handoff
from unlost.handoff.markers import how_to_read
from unlost.handoff.report import FileState, LossReport, report_json
from unlost.handoff.restore import RestorePlan
from unlost.handoff.secret_fields import SecretField

_MOST_FILES: Final = 100
_MOST_CONTEXT: Final = 10
_WIDTH: Final = 12
_WORDS: Final[dict[FileState, str]] = {
    "lost": "lost",
    "missing_new_files": "missing",
    "conflicting": "conflict",
    "snapshot": "snapshot",
    "stashed": "stashed",
    "dangling": "dangling",
    "applied": "applied",
    "untracked_survivors": "survivor",
}
"""What each state is called in text, in the order of its lines."""


def check_document(
    handoff: Handoff | None, problems: Sequence[Problem], secrets: Sequence[SecretField]
) -> dict[str, object]:
    """`unlost.handoff_check/1`: whether a file is a handoff, how much is in it, every fault."""
    counted = None
    if handoff is not None:
        counted = {"fixes": len(handoff.exact_fixes), "new_files": len(handoff.new_files)}
    return {
        "schema": "unlost.handoff_check/1",
        "valid": handoff is not None,
        "task": None if handoff is None else handoff.task,
        "counts": counted,
        "secrets": [{"field": each.field, "kinds": list(each.kinds)} for each in secrets],
        "problems": [{"line": problem.line, "what": problem.what} for problem in problems],
    }


def check_text(handoff: Handoff) -> str:
    """One line: what a handoff holds."""
    parts = [count(len(handoff.exact_fixes), "exact fix", "exact fixes"), count(len(handoff.new_files), "new file")]
    parts += [count(len(handoff.failing_tests), "failing test"), count(len(handoff.remaining_steps), "remaining step")]
    return " · ".join(parts)


def secret_text(found: SecretField) -> str:
    """A field that looks as if it held a secret; its value is not told."""
    return f"note: {found.field} looks like it holds a secret ({', '.join(found.kinds)}); it is kept as it is"


def losses_text(report: LossReport, palette: Palette) -> str:
    """The loss report: a line a file, worst first, then what git says beside it; the last line is the sum."""
    lines = listed(list(_files(report, palette)), _MOST_FILES)
    if report.lost_files or report.recoverable:
        context = (*report.context.stashes, *report.context.reflog)
        lines += listed([palette.faint(f"  {line}") for line in context], _MOST_CONTEXT)
    return "\n".join([*lines, _sum(report, palette)])


def plan_text(plan: RestorePlan) -> str:
    """What a restore would do, a line a file."""
    lines = [
        f"{'merge' if each.merged else 'restore':{_WIDTH}}{path_text(each.path)} "
        f"from {', '.join(place.name for place in each.places)}"
        for each in plan.restorations
    ]
    lines += [f"{'leave':{_WIDTH}}{path_text(each.path)}: {each.reason}" for each in plan.held_back]
    return "\n".join(lines) or "nothing to restore"


def plan_document(report: LossReport, plan: RestorePlan) -> dict[str, object]:
    """`unlost.handoff_restore/1`: the plan of a dry run."""
    return {
        "schema": "unlost.handoff_restore/1",
        "restore": [
            {"path": path_json(each.path), "from": [place.name for place in each.places], "merged": each.merged}
            for each in plan.restorations
        ],
        "leave": [{"path": path_json(each.path), "reason": each.reason} for each in plan.held_back],
        "losses": report_json(report),
    }


def prompt_document(report: LossReport, prompt: str) -> dict[str, object]:
    """`unlost.handoff_prompt/1`: the exact text, its digest and size, and the report it rests on."""
    return {"schema": "unlost.handoff_prompt/1", **_prompt(prompt), "losses": report_json(report)}


def dispatch_document(dispatched: Dispatched) -> dict[str, object]:
    """`unlost.handoff_dispatch/1`: the resume, how the attempt ended, the boundaries around it."""
    end = dispatched.end
    attempt = None
    if end is not None:
        attempt = {
            "id": end.attempt,
            "reason": end.reason,
            "exit_code": end.exit_code,
            "failed": end.error is not None,
            "turns": end.turns,
            "seconds": round(end.seconds, 3),
            "handoff": end.returned.handoff is not None,
        }
    return {
        "schema": "unlost.handoff_dispatch/1",
        "resume": resumption_document(dispatched.resumption),
        "attempt": attempt,
        "boundaries": list(dispatched.boundaries),
        "lost": dispatched.lost,
    }


def dispatch_text(dispatched: Dispatched) -> str:
    """One line: how the attempt ended, what was lost, the boundary after it; empty when the gate stopped it."""
    if dispatched.end is None:
        return ""
    lost = f"{count(dispatched.lost, 'path')} lost" if dispatched.lost else "nothing lost"
    ended = dispatched.end.reason if dispatched.end.error is None else f"{dispatched.end.reason}, with an error"
    return f"attempt {ended} · {lost} · boundary {dispatched.boundaries[-1]}"


def resumption_document(resumption: Resumption) -> dict[str, object]:
    """`unlost.handoff_resume/1`: the prompt, or the warning that gates it; what was brought back."""
    brought = resumption.brought
    return {
        "schema": "unlost.handoff_resume/1",
        **_prompt(resumption.prompt),
        "warning": resumption.warning,
        "restored": [path_json(path) for path in brought.restored],
        "not_restored": list(brought.told),
        "kept": brought.kept,
        "losses": report_json(resumption.report),
    }


def _prompt(prompt: str | None) -> dict[str, object]:
    if prompt is None:
        return {"prompt": None, "sha256": None, "bytes": None}
    data = prompt.encode("utf-8")
    return {"prompt": prompt, "sha256": sha256(data).hexdigest(), "bytes": len(data)}


def _files(report: LossReport, palette: Palette) -> Iterator[str]:
    for state, word in _WORDS.items():
        bad = state in ("lost", "missing_new_files")
        good = state in ("applied", "untracked_survivors")
        dress = palette.loss if bad else palette.good if good else palette.warning
        for each in report.files:
            if each.state == state:
                command = how_to_read(each.path, each.where)
                yield f"{dress(f'{word:{_WIDTH}}')}{path_text(each.path)}" + (f"   {command}" if command else "")


def _sum(report: LossReport, palette: Palette) -> str:
    gone = len(report.paths("lost")) + len(report.paths("missing_new_files"))
    parts = [count(len(report.files), "file")]
    if gone:
        parts.append(palette.loss(f"{gone} lost"))
    if report.recoverable:
        parts.append(palette.warning(f"{len(report.recoverable_files)} recoverable"))
    if report.paths("conflicting"):
        parts.append(palette.warning(f"{len(report.paths('conflicting'))} conflicting"))
    return " · ".join(parts if len(parts) > 1 else [*parts, palette.good("all of it stands")])
