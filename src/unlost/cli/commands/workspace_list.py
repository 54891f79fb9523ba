"""`unlost workspace list`."""

from __future__ import annotations

import click

from unlost.app.workspaces import list_workspaces, on_this_machine
from unlost.cli.invocation import Command, Invocation
from unlost.cli.render.workspaces import workspaces_text


@click.command("list", cls=Command, examples=("unlost workspace list", "unlost workspace list --json"))
@click.pass_obj
def command(invocation: Invocation) -> int:
    """List the workspaces of this machine: where each one is, its epoch, its newest boundary."""
    with on_this_machine(invocation.environment) as machine:
        listed = list_workspaces(machine)
    invocation.answer(listed.to_json(), workspaces_text(listed.rows, invocation.terminal.palette))
    return 0
