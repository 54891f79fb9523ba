"""`unlost log`: the boundaries of a workspace."""

from __future__ import annotations

import click

from unlost.cli.invocation import Command, Invocation
from unlost.cli.proving import open_to_prove
from unlost.cli.render.listing import boundaries_text, events_text
from unlost.host.clock import SystemClock


@click.command("log", cls=Command, examples=("unlost log", "unlost log --events --json"))
@click.option("--events", is_flag=True, help="Everything on the record: boundaries, restores, acceptances.")
@click.pass_obj
def command(invocation: Invocation, *, events: bool) -> int:
    """The boundaries of this workspace.

    The newest first; each with its number, when and why it was taken, and what was proved at it.
    """
    with open_to_prove(invocation) as workspace:
        listed = workspace.events() if events else workspace.boundaries()
    text = events_text if events else boundaries_text
    invocation.answer(listed.to_json(), text(listed.rows, invocation.terminal.palette, now=SystemClock().now()))
    return 0
