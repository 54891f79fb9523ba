"""`unlost workspace remove`: a worktree goes."""

from __future__ import annotations

import click

from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.removing import remove_made_worktree
from unlost.app.workspaces import on_this_machine
from unlost.cli.invocation import Command, Invocation
from unlost.cli.render.landed import removed_text


@click.command(
    "remove",
    cls=Command,
    examples=("unlost workspace remove feature", "unlost workspace remove w-3f9c2a7b1d04 --force"),
)
@click.argument("name", metavar="ID")
@click.option("--force", is_flag=True, help="Remove it although its work is nowhere else; it is captured first.")
@click.pass_obj
def command(invocation: Invocation, *, name: str, force: bool) -> int:
    """Remove a worktree that `unlost run --worktree` made.

    Refused (exit 3) while it holds work that was neither applied, nor committed and reached from another branch. It is
    captured before it goes, and its branch stays when only it reaches its commits. ID may be the worktree's NAME.
    """
    refuse_inside_attempt()
    with on_this_machine(invocation.environment) as machine:
        removed = remove_made_worktree(machine, name, here=invocation.target, force=force)
    invocation.answer(removed.to_json(), removed_text(removed))
    return 0
