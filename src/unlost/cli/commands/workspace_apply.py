"""`unlost workspace apply`: a worktree's work comes home."""

from __future__ import annotations

import click

from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.landing import apply_worktree
from unlost.app.workspaces import on_this_machine
from unlost.cli.invocation import Command, Invocation
from unlost.cli.progress import Progress
from unlost.cli.render.landed import applied_text


@click.command(
    "apply",
    cls=Command,
    dry_run=True,
    examples=("unlost workspace apply feature -n", "unlost workspace apply w-3f9c2a7b1d04"),
)
@click.argument("name", metavar="ID")
@click.pass_obj
def command(invocation: Invocation, *, name: str) -> int:
    """Put what a worktree made into the tree that it came from.

    Three-way: lines of both sides stay. A path where they do not go together is left as it is, whole, and named
    (exit 3). The present is kept first; `unlost undo` there takes it back. ID may be the worktree's NAME.
    """
    refuse_inside_attempt()
    with Progress(invocation.terminal) as progress, on_this_machine(invocation.environment) as machine:
        progress("comparing both trees")
        applied = apply_worktree(machine, name, here=invocation.target, dry_run=invocation.dry_run)
    text = applied_text(applied, invocation.terminal.palette, dry_run=invocation.dry_run)
    invocation.answer(applied.to_json(), text, even_quiet=bool(applied.restored.failed))
    return applied.exit_code
