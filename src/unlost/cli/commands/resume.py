"""`unlost resume`: go on with a unit."""

from __future__ import annotations

import click

from unlost.cli.following import answer_unit, open_supervisor
from unlost.cli.invocation import Command, Invocation
from unlost.cli.options import duration


@click.command(
    "resume",
    cls=Command,
    examples=("unlost resume", "unlost resume u-3f9c --raise-cost 5", "unlost resume --restore"),
)
@click.argument("unit", required=False)
@click.option("--restore", is_flag=True, help="Put lost work back by itself, now and later in this unit.")
@click.option("--raise-cost", type=click.FloatRange(min=0.0), default=0.0, metavar="X", help="Dollars more to spend.")
@click.option("--extend", callback=duration, metavar="2h", help="Time more to take.")
@click.pass_obj
def command(invocation: Invocation, *, unit: str | None, restore: bool, raise_cost: float, extend: float) -> int:
    """Go on with a unit that waits or was interrupted.

    After a kill, a reboot or a restore: what the last attempt left is found out first, and finished tasks never run
    again. UNIT may be left out when one is open here; a few digits are enough.
    """
    with open_supervisor(invocation) as supervisor:
        resumed = supervisor.resume(unit, restore=restore, raise_cost=raise_cost, extend=extend)
        return answer_unit(invocation, resumed)
