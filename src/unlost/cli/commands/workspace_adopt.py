"""`unlost workspace adopt`: a root that moved."""

from __future__ import annotations

import click

from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.workspaces import adopt_here, on_this_machine
from unlost.cli.invocation import Command, Invocation
from unlost.cli.render.workspaces import adopted_text


@click.command("adopt", cls=Command, examples=("unlost workspace adopt w-3f9c2a7b1d04",))
@click.argument("name", metavar="ID")
@click.pass_obj
def command(invocation: Invocation, *, name: str) -> int:
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
