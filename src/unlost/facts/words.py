"""The words that are written to JSON, events and reports, as literal types (contracts.md, design.md section 5)."""

from __future__ import annotations

from typing import Literal

ClaimState = Literal[
    "standing",
    "moved",
    "superseded",
    "elsewhere",
    "reverted",
    "deleted",
    "mode_changed",
    "type_changed",
    "overwritten",
    "reformatted",
    "hunks_reverted",
    "extended",
    "rewritten",
    "unproved",
]
Severity = Literal["ok", "warning", "loss", "unproved"]
VerdictWord = Literal["ok", "loss", "incomplete", "no_boundary"]
WorkspaceState = Literal["present", "missing", "replaced", "moved", "not_a_repository"]
IncompleteReason = Literal[
    "too_big",
    "budget",
    "unreadable",
    "unstable",
    "special",
    "nested_repository",
    "missing_object",
    "filter_failed",
]
FoundIn = Literal["snapshot", "stash", "index", "history", "reflog", "dangling", "remote", "worktree"]
BoundaryKind = Literal[
    "mark",  # by hand, or before and after `run -- CMD`: a person's claims
    "hook",  # by a hook during a session or an attempt; belongs to no task
    "admission",  # boundary 0 of a unit: a person's claims
    "before_task",
    "after_task",  # closes an attempt that was judged done: the task's claims
    "attempt_end",  # an attempt that was not done: no claims, retained work
    "checks",  # after checks changed files: credited to the check, no claims
    "resumed",  # after a person restored or accepted: the verdict is judged again
]
SnapshotKind = Literal["boundary", "autosave", "kept"]
TaskState = Literal["waiting", "running", "done", "no_change", "lost", "failed", "skipped"]
Phase = Literal[
    "admitted",
    "research",
    "parked",
    "coding",
    "checking",
    "review",
    "publishing",
    "blocked",
    "paused",
    "done",
    "failed",
    "stopped",
    "expired",
]
Outcome = Literal["done", "partial", "failed", "stopped", "expired"]
ReportOutcome = Literal["completed", "blocked", "no_change", "scope_change"]
