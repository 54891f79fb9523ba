"""`unlost workspace`: the work trees that unlost knows, and their ways from place to place."""

from __future__ import annotations

import os
import shlex

import click

from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.landing import apply_worktree
from unlost.app.moving import restore_to, save_here
from unlost.app.removing import remove_made_worktree
from unlost.app.workspaces import adopt_here, list_workspaces, on_this_machine
from unlost.cli.invocation import Command, Group, Invocation
from unlost.cli.progress import Progress
from unlost.cli.render.workspaces import (
    adopted_text,
    applied_text,
    removed_text,
    restored_root_text,
    saved_text,
    workspaces_text,
)
from unlost.workspace.failures import RestoreFailed, RestoreRefused, RestoreSuperseded, RestoreUnreachable
from unlost.workspace.transports.targets import read_target


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


@command.command(
    "save", cls=Command, examples=("unlost workspace save", "unlost workspace save --place sandbox-7 --private")
)
@click.option("--place", metavar="NAME", help="What this place is called, over UNLOST_PLACE and the machine's name.")
@click.option("--private", is_flag=True, help="Let the precious ignored files (.env) leave this machine, too.")
@click.pass_obj
def save(invocation: Invocation, *, place: str | None, private: bool) -> int:
    """Save the workspace here, so that it can go on at another place.

    A final save: refused with exit 75 while an agent of unlost's runs here. It goes to the shared store of
    UNLOST_STORE, and without one stays in this machine's own, from where `restore` reaches other folders and hosts.
    With --place (or UNLOST_PLACE) the root gets a receipt: a later restore may then replace it. Without, never.
    """
    refuse_inside_attempt()
    named = place or invocation.environment.get("UNLOST_PLACE") or None
    with Progress(invocation.terminal) as progress, on_this_machine(invocation.environment) as machine:
        saved = save_here(machine, invocation.target, place=named, private=private, say=progress)
    invocation.answer(saved.to_json(), saved_text(saved))
    return 0


@command.command(
    "restore",
    cls=Command,
    examples=(
        "unlost workspace restore w-3f9c2a7b1d04 --to ../box",
        "unlost workspace restore w-3f9c2a7b1d04 --to ssh://me@build-7/srv/work",
        "unlost workspace restore w-3f9c2a7b1d04 --to /work --through 'docker exec -i box'",
    ),
)
@click.argument("name", metavar="ID")
@click.option("--to", required=True, metavar="ROOT|ssh://HOST/ROOT", help="The root to make.")
@click.option("--place", metavar="NAME", help="What that place is called; by default what it calls itself.")
@click.option("--allow-empty", is_flag=True, help="Take an empty folder for the root, too.")
@click.option("--private", is_flag=True, help="Put the precious ignored files there, where they were saved.")
@click.option("--abandon", is_flag=True, help="Give up what an earlier writer did not save.")
@click.option("--through", metavar="CMD", help="Reach ROOT behind this command, such as 'docker exec -i NAME'.")
@click.pass_obj
def restore(
    invocation: Invocation,
    *,
    name: str,
    to: str,
    place: str | None,
    allow_empty: bool,
    private: bool,
    abandon: bool,
    through: str | None,
) -> int:
    """Make a root of a workspace's newest save, here or on another place.

    The writer's epoch rises: whoever held the workspace before is refused from then on. A root that is occupied stays
    as it is (exit 3), unless the ledger proves that it is this workspace's own retired one; that one is replaced, or
    kept where it is already what was saved. The place needs python3 (3.11), nothing of unlost's.
    """
    refuse_inside_attempt()
    prefix = () if through is None else tuple(shlex.split(through))
    target = read_target(to, folder=os.path.abspath(invocation.folder), prefix=prefix)
    with Progress(invocation.terminal) as progress, on_this_machine(invocation.environment) as machine:
        try:
            restored = restore_to(
                machine,
                name,
                target,
                place=place,
                allow_empty=allow_empty,
                private=private,
                abandon=abandon,
                say=progress,
            )
        except (RestoreRefused, RestoreSuperseded, RestoreUnreachable, RestoreFailed) as error:
            if not invocation.json:
                raise
            invocation.terminal.document(error.report.to_json())
            return error.exit_code
    invocation.answer(restored.report.to_json(), restored_root_text(restored))
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
