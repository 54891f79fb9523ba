"""`unlost stop`: end a unit."""

from __future__ import annotations

import click

from unlost.cli.following import answer_unit, open_supervisor
from unlost.cli.invocation import Command, Invocation


@click.command("stop", cls=Command, examples=("unlost stop", "unlost stop u-3f9c"))
@click.argument("unit", required=False)
@click.pass_obj
def command(invocation: Invocation, *, unit: str | None) -> int:
    """End a unit; its work stays.

    The agent gets time to end by itself, then everything that it started is ended. What it left is captured, and
    nothing is taken back. Exit 0 when the unit is stopped, 4 when work of it is lost.
    """
    with open_supervisor(invocation) as supervisor:
        stopped = supervisor.stop(unit)
        code = answer_unit(invocation, stopped)
    return 0 if stopped.phase == "stopped" and not stopped.state.proof.lost_count else code
