"""Which paths a unit may change, and which of earlier tasks' work a task may rewrite or put back (N.R7, N.27)."""

from __future__ import annotations

from collections.abc import Iterable

from unlost.facts.patterns import at_any_depth, matches_any
from unlost.plan.facts import WHOLE_TREE, Plan, Scope, Task


def outside(scope: Scope, paths: Iterable[bytes]) -> tuple[bytes, ...]:
    """The changed paths that the scope does not name, in their order; scratch is never outside."""
    if not is_explicit(scope):
        return ()
    return tuple(path for path in paths if not in_scope(scope, path))


def in_scope(scope: Scope, path: bytes) -> bool:
    """Whether the unit may change this path."""
    return matches_any(scope.paths, path) or is_scratch(scope, path)


def is_explicit(scope: Scope) -> bool:
    """Whether the plan drew a border at all; decision 1 makes losses inside of it losses of the unit."""
    return not set(WHOLE_TREE) <= set(scope.paths)


def is_scratch(scope: Scope, path: bytes) -> bool:
    """Whether the plan calls this file scratch; a pattern without a folder applies at every depth."""
    return matches_any((at_any_depth(pattern) for pattern in scope.scratch), path)


def may_rewrite(task: Task, path: bytes) -> bool:
    """Whether the task's `paths` lets it rewrite, move or delete earlier work here."""
    return matches_any(task.paths, path)


def may_revert(task: Task, path: bytes) -> bool:
    """Whether the task's `reverts` says that it puts this path back on purpose."""
    return matches_any(task.reverts, path)


def claims_untracked(plan: Plan, task: Task, path: bytes) -> bool:
    """Whether an untracked file that this task made and that vanished is a loss, not a warning (decision 1)."""
    return may_rewrite(task, path) or (is_explicit(plan.scope) and matches_any(plan.scope.paths, path))
