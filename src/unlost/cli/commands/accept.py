"""`unlost accept`: a person says that a loss was meant so."""

from __future__ import annotations

import click

from unlost.cli.consent import require_person
from unlost.cli.invocation import Command, Invocation
from unlost.cli.opening import named_paths, open_workspace
from unlost.cli.render.amounts import count
from unlost.cli.render.documents import shown
from unlost.facts.errors import UsageError


@click.command(
    "accept",
    cls=Command,
    examples=("unlost accept old/parser.py -m 'replaced by parse_all'", "unlost accept --all"),
)
@click.argument("paths", nargs=-1, type=click.Path(), metavar="PATH...")
@click.option("--all", "everything", is_flag=True, help="Every open loss.")
@click.option("-m", "--message", "why", default="", metavar="WHY", help="Why it was meant so.")
@click.pass_obj
def command(invocation: Invocation, *, paths: tuple[str, ...], everything: bool, why: str) -> int:
    """Say that a loss was meant so.

    What stands at PATH now is claimed in place of what was there; the snapshot of the old content stays. Only a
    person can say this: it is refused below an agent, and without a terminal unless -y is given.
    """
    if bool(paths) == everything:
        raise UsageError("name the paths to accept, or say --all for every open loss", hint="`unlost check`")
    with open_workspace(invocation) as workspace:
        names = named_paths(invocation, workspace, paths)
        require_person(invocation, "accepting a loss")
        accepted = workspace.accept(names, everything=everything, why=why)
    document = accepted.to_json()
    lines = [f"accepted  {shown(path)}" for path in document["accepted"]]
    lines += [f"accepted  commit {commit}" for commit in document["commits"]]
    lines.append(count(accepted.open_losses, "open loss", "open losses"))
    invocation.answer(document, "\n".join(lines))
    return 0
