"""`unlost maintain`: put published work onto a target that moved."""

from __future__ import annotations

import click

from unlost.app.maintenance import EVERY, Maintained, maintain_unit, watch
from unlost.cli.following import open_supervisor, show_unit
from unlost.cli.invocation import Command, Invocation
from unlost.cli.options import duration
from unlost.cli.render.maintenance import watched_line
from unlost.facts.errors import UnlostError, UsageError


@click.command(
    "maintain",
    cls=Command,
    examples=("unlost maintain u-3f9c", "unlost maintain u-3f9c --extend 1h", "unlost maintain --watch --every 10m"),
)
@click.argument("unit", required=False)
@click.option("--watch", "watching", is_flag=True, help="Go on looking, at UNIT or at every published unit here.")
@click.option("--every", callback=duration, metavar="5m", help="With --watch: how often to look (5m).")
@click.option("--extend", callback=duration, metavar="1h", help="Give the unit's lease more time.")
@click.option("--raise-cost", type=click.FloatRange(min=0.0), default=0.0, metavar="X", help="Dollars more to spend.")
@click.pass_obj
def command(
    invocation: Invocation, *, unit: str | None, watching: bool, every: float, extend: float, raise_cost: float
) -> int:
    """Put published work onto a target branch that moved.

    A clean rebase happens in unlost's own store and is reviewed where the unit's workflow has review; a conflict is
    given to an agent once, under the unit's own lease and rounds. Your work tree is neither read nor changed.
    """
    if every and not watching:
        raise UsageError("--every means nothing without --watch")
    if watching and (extend or raise_cost):
        raise UsageError("--extend and --raise-cost are a word on one unit; not with --watch")
    with open_supervisor(invocation) as supervisor:
        if watching:

            def tell(name: str, found: Maintained | UnlostError) -> None:
                line = watched_line(name, found, invocation.terminal.talk_palette)
                if line is not None:
                    invocation.terminal.talk(line)

            watch(supervisor, unit, tell, every=every or EVERY)
            return 0
        done = maintain_unit(supervisor, unit, extend=extend, raise_cost=raise_cost)
        show_unit(invocation, done.unit)
        return done.exit_code
