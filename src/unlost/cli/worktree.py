"""`run --worktree` as a person follows it: where the run goes, and what did not come along."""

from __future__ import annotations

from unlost.app.supervised import Supervisor
from unlost.cli.invocation import Invocation
from unlost.cli.render.amounts import count
from unlost.facts.quoting import clean
from unlost.plan.facts import Plan


def enter_worktree(invocation: Invocation, supervisor: Supervisor, plan: Plan, name: str | None) -> None:
    """Take the supervisor into the worktree of this name, or a new one, and tell where that is."""
    made = supervisor.into_worktree(plan, name, invocation.terminal.talk)
    parts = [f"worktree  {clean(made.root, one_line=True)}", made.branch, made.workspace]
    if made.ignored:
        parts.append(count(made.ignored, "ignored file") + " copied")
    if made.left_behind:
        parts.append(count(made.left_behind, "uncommitted path") + " of yours not in it")
    invocation.terminal.talk(" · ".join(parts))
