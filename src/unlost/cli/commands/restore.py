"""`unlost restore`: bring lost paths back."""

from __future__ import annotations

import os

import click

from unlost.app.plain import Workspace
from unlost.cli.answers import answer_restored
from unlost.cli.consent import is_agreed
from unlost.cli.invocation import Command, Invocation
from unlost.cli.naming import named_paths, named_snapshot
from unlost.cli.opening import open_workspace
from unlost.facts.errors import NeedsPerson, UsageError


@click.command(
    "restore",
    cls=Command,
    dry_run=True,
    examples=(
        "unlost restore main.rs",
        "unlost restore --lost -n",
        "unlost restore src --from 20m --to /tmp/as-it-was",
    ),
)
@click.argument("paths", nargs=-1, type=click.Path(), metavar="PATH...")
@click.option("--lost", "--all", "lost", is_flag=True, help="Every open loss; into a missing root, every file.")
@click.option("--from", "source", metavar="WHEN", help="The moment to take from; else where each was last seen.")
@click.option("--merge", is_flag=True, help="Put back only what was lost, and keep later lines.")
@click.option("--force", is_flag=True, help="Do not ask before later claimed work is put aside.")
@click.option("--to", metavar="DIR", type=click.Path(), help="Another folder to put the files in.")
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    paths: tuple[str, ...],
    lost: bool,
    source: str | None,
    merge: bool,
    force: bool,
    to: str | None,
) -> int:
    """Bring lost paths back, byte for byte.

    Content, exec bit and link type are as in the snapshot. What stands there now is kept first, so `unlost undo`
    takes a restore back. A folder means everything below it. HEAD, branches and the index stay as they are.
    """
    if bool(paths) == lost:
        raise UsageError("name the paths to restore, or say --lost for all that is lost", hint="`unlost check`")
    if to == "":
        raise UsageError("--to names no folder", hint="leave --to out to restore in place")
    with open_workspace(invocation) as workspace:
        names = named_paths(invocation, workspace, paths)
        snapshot = None if source is None else named_snapshot(workspace, source)
        where = None if to is None else os.path.join(invocation.folder, to)
        if not (force or invocation.dry_run or to):
            _ask_before_displacing(invocation, workspace, names, lost=lost, source=snapshot, merge=merge)
        restored = workspace.restore(
            names, lost=lost, source=snapshot, merge=merge, to=where, dry_run=invocation.dry_run
        )
    return answer_restored(invocation, restored)


def _ask_before_displacing(
    invocation: Invocation, workspace: Workspace, names: list[bytes], *, lost: bool, source: str | None, merge: bool
) -> None:
    """Ask a person on a terminal when the restore puts later claimed work aside. Raises NeedsPerson for a no."""
    if not invocation.may_ask:
        return
    planned = workspace.restore(names, lost=lost, source=source, merge=merge, dry_run=True)
    if planned.displaces and not is_agreed(
        invocation, f"{len(planned.displaces)} later claims are put aside (kept; `unlost undo` brings them back)"
    ):
        raise NeedsPerson("nothing was restored", hint="`unlost restore --merge` keeps later lines")
