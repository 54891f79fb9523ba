"""`unlost accept`: a person says that something was meant so."""

from __future__ import annotations

import click

from unlost.app.steering import accept_check, accept_scope
from unlost.cli.consent import require_person
from unlost.cli.following import open_supervisor
from unlost.cli.invocation import Command, Invocation
from unlost.cli.naming import named_paths
from unlost.cli.opening import open_workspace
from unlost.cli.render.amounts import count
from unlost.cli.render.names import shown
from unlost.facts.errors import UsageError
from unlost.facts.quoting import path_json, path_text


@click.command(
    "accept",
    cls=Command,
    examples=(
        "unlost accept old/parser.py -m 'replaced by parse_all'",
        "unlost accept --all --unit u-3f9c",
        "unlost accept --check tests",
    ),
)
@click.argument("paths", nargs=-1, type=click.Path(), metavar="PATH...")
@click.option("--all", "everything", is_flag=True, help="Every open loss; with --unit, every path outside its scope.")
@click.option("--check", metavar="NAME", help="The changed definitions of a check of a unit.")
@click.option("--unit", metavar="UNIT", help="Paths outside the scope of this unit.")
@click.option("-m", "--message", "why", default="", metavar="WHY", help="Why it was meant so.")
@click.pass_obj
def command(
    invocation: Invocation, *, paths: tuple[str, ...], everything: bool, check: str | None, unit: str | None, why: str
) -> int:
    """Say that a loss was meant so.

    What stands at PATH now is claimed in place of what was there; the snapshot of the old content stays. The same
    word lets a unit go on that changed paths outside its scope (--unit) or what defines a check (--check). Only a
    person can say it: it is refused below an agent, and without a terminal unless -y is given.
    """
    if [bool(paths), everything, check is not None].count(True) != 1:
        raise UsageError("name the paths to accept, say --all, or --check NAME", hint="`unlost check`")
    require_person(invocation, "accepting")
    if check is not None or unit is not None:
        return _accept_for_unit(invocation, paths, check, unit)
    with open_workspace(invocation) as workspace:
        names = named_paths(invocation, workspace, paths)
        accepted = workspace.accept(names, everything=everything, why=why)
    document = accepted.to_json()
    lines = [f"accepted  {shown(path)}" for path in document["accepted"]]
    lines += [f"accepted  commit {commit}" for commit in document["commits"]]
    rest = count(accepted.open_losses, "loss is", "losses are") if accepted.open_losses else "no loss is"
    invocation.answer(document, "\n".join([*lines, f"{rest} open"]))
    return 0


def _accept_for_unit(invocation: Invocation, paths: tuple[str, ...], check: str | None, unit: str | None) -> int:
    """Accept the changed definitions of a check, or these paths (none: all) outside a unit's scope."""
    with open_workspace(invocation) as workspace:
        names = tuple(named_paths(invocation, workspace, paths))
    with open_supervisor(invocation) as supervisor:
        if check is not None:
            accepted = accept_check(supervisor, unit, check)
        else:
            accepted = accept_scope(supervisor, unit, names or None)
    document = {"schema": "unlost.accept/1", "accepted": [path_json(path) for path in accepted], "commits": []}
    lines = [f"accepted  {path_text(path)}" for path in accepted]
    invocation.answer(document, "\n".join([*lines, "`unlost resume` goes on"]))
    return 0
