"""The handoff as typed facts: what a worker knew when it had to stop (H.1, H.2; contracts.md, Handoff file)."""

from __future__ import annotations

from typing import Final, Literal

from unlost.facts.errors import FileInvalid
from unlost.facts.quoting import JsonName, path_json
from unlost.facts.records import dataclass

SCHEMA: Final = "unlost.handoff/1"
SOURCE: Final = "handoff"
"""The only legal source; a transcript is never one."""

HandoffSource = Literal["asked", "derived"]
"""Whether the worker left it, or unlost made it from what the worker changed."""


class HandoffInvalid(FileInvalid, ValueError):
    """A handoff that is refused; `problems` names every fault at once. In Python it is a ValueError as well."""

    def __str__(self) -> str:
        """The message with every reason: what a library's caller sees."""
        return f"{self.message}: {'; '.join(problem.what for problem in self.problems)}"


@dataclass(frozen=True, kw_only=True)
class DesignDecision:
    """One decision of the worker, and why."""

    decision: str
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class FailingTest:
    """One test that failed when the worker stopped."""

    test: str
    expected: str = ""
    observed: str = ""


@dataclass(frozen=True, kw_only=True)
class ExactFix:
    """One edit of one file, letter by letter: near `anchor`, the text `before` becomes the text `after`.

    An empty `before` inserts or creates, an empty `after` deletes. Never redacted, cleaned or cut (decision 5).
    """

    file: bytes
    anchor: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Handoff:
    """The whole report. Paths are relative to the workspace root; `iteration_cap` 0 means that none is known."""

    task: str
    iteration_cap: int = 0
    design_decisions: tuple[DesignDecision, ...] = ()
    failing_tests: tuple[FailingTest, ...] = ()
    exact_fixes: tuple[ExactFix, ...] = ()
    new_files: tuple[bytes, ...] = ()
    remaining_steps: tuple[str, ...] = ()
    source: str = SOURCE
    base_commit: str | None = None
    git_status: str | None = None
    notes: str | None = None

    @property
    def files(self) -> tuple[bytes, ...]:
        """Every path it names, once, in its own order: files of fixes first, then new files."""
        return tuple(dict.fromkeys((*(fix.file for fix in self.exact_fixes), *self.new_files)))

    @property
    def has_sections(self) -> bool:
        """Whether it hands over anything beyond the name of the task."""
        return any((self.design_decisions, self.failing_tests, self.exact_fixes, self.new_files, self.remaining_steps))


def handoff_json(handoff: Handoff) -> dict[str, object]:
    """The JSON object that `load_handoff` reads back as an equal handoff."""
    document: dict[str, object] = {
        "schema": SCHEMA,
        "task": handoff.task,
        "iteration_cap": handoff.iteration_cap,
        "design_decisions": [{"decision": each.decision, "reason": each.reason} for each in handoff.design_decisions],
        "failing_tests": [
            {"test": each.test, "expected": each.expected, "observed": each.observed} for each in handoff.failing_tests
        ],
        "exact_fixes": [fix_json(each) for each in handoff.exact_fixes],
        "new_files": [path_json(path) for path in handoff.new_files],
        "remaining_steps": list(handoff.remaining_steps),
        "source": handoff.source,
    }
    optional = {"base_commit": handoff.base_commit, "git_status": handoff.git_status, "notes": handoff.notes}
    return document | {name: value for name, value in optional.items() if value is not None}


def fix_json(fix: ExactFix) -> dict[str, JsonName]:
    """One fix as it stands in a handoff file."""
    return {"file": path_json(fix.file), "anchor": fix.anchor, "before": fix.before, "after": fix.after}
