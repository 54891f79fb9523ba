"""`unlost workspace`: the work trees that unlost knows, and their ways from place to place."""

from __future__ import annotations

import click

from unlost.app.landing import apply_worktree
from unlost.app.removing import remove_made_worktree
from unlost.app.supervised import refuse_inside_attempt
from unlost.app.workspaces import adopt_here, list_workspaces, on_this_machine
from unlost.cli.invocation import Command, Group, Invocation
from unlost.cli.progress import Progress
from unlost.cli.render.workspaces import adopted_text, applied_text, removed_text, workspaces_text


@click.group("workspace", cls=Group, no_args_is_help=False)
def command() -> None:
    """List workspaces, move them to another place, and bring a worktree's work home.

    A workspace is one git work tree under unlost's care. `save` and `restore` carry it to another folder or machine;
    `apply` and `remove` end what `unlost run --worktree` began.
    """


@command.command("list", cls=Command, examples=("unlost workspace list", "unlost workspace list --json"))
@click.pass_obj
def list_(invocation: Invocation) -> int:
    """List the workspaces of this machine: where each one is, its epoch, its newest boundary."""
    with on_this_machine(invocation.environment) as machine:
        listed = list_workspaces(machine)
    invocation.answer(listed.to_json(), workspaces_text(listed.rows, invocation.terminal.palette))
    return 0


@command.command("adopt", cls=Command, examples=("unlost workspace adopt w-3f9c2a7b1d04",))
@click.argument("name", metavar="ID")
@click.pass_obj
def adopt(invocation: Invocation, *, name: str) -> int:
    """Say that the work tree here is a workspace that was somewhere else before.

    A moved root is found again by itself while its folders are the same ones; after a move to another disk a person
    has to say so. Refused while the workspace is still at its old root.
    """
    refuse_inside_attempt()
    with on_this_machine(invocation.environment) as machine:
        identity = adopt_here(machine, name, invocation.target)
    document = {"schema": "unlost.adopt/1", "workspace": identity.workspace, "root": identity.root}
    invocation.answer(document, adopted_text(identity))
    return 0


@command.command(
    "apply",
    cls=Command,
    dry_run=True,
    examples=("unlost workspace apply feature -n", "unlost workspace apply w-3f9c2a7b1d04"),
)
@click.argument("name", metavar="ID")
@click.pass_obj
def apply(invocation: Invocation, *, name: str) -> int:
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


@command.command(
    "remove",
    cls=Command,
    examples=("unlost workspace remove feature", "unlost workspace remove w-3f9c2a7b1d04 --force"),
)
@click.argument("name", metavar="ID")
@click.option("--force", is_flag=True, help="Remove it although its work is nowhere else; it is captured first.")
@click.pass_obj
def remove(invocation: Invocation, *, name: str, force: bool) -> int:
    """Remove a worktree that `unlost run --worktree` made.

    Refused (exit 3) while it holds work that was neither applied, nor committed and reached from another branch. It is
    captured before it goes, and its branch stays when only it reaches its commits. ID may be the worktree's NAME.
    """
    refuse_inside_attempt()
    with on_this_machine(invocation.environment) as machine:
        removed = remove_made_worktree(machine, name, here=invocation.target, force=force)
    invocation.answer(removed.to_json(), removed_text(removed))
    return 0
