"""`unlost snapshots`: every snapshot that is kept."""

from __future__ import annotations

import click

from unlost.cli.invocation import Command, Invocation
from unlost.cli.proving import open_to_prove
from unlost.cli.render.listing import snapshots_text
from unlost.host.clock import SystemClock


@click.command("snapshots", cls=Command, examples=("unlost snapshots", "unlost snapshots --json"))
@click.pass_obj
def command(invocation: Invocation) -> int:
    """Every snapshot that is kept.

    The newest first: boundaries, autosaves, and what stood before a restore.
    """
    with open_to_prove(invocation) as workspace:
        listed = workspace.snapshots()
    text = snapshots_text(listed.rows, invocation.terminal.palette, now=SystemClock().now())
    invocation.answer(listed.to_json(), text)
    return 0
