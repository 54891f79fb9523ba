"""`unlost watch`: follow a unit."""

from __future__ import annotations

import click

from unlost.app.following import follow
from unlost.cli.following import answer_unit, open_supervisor
from unlost.cli.invocation import Command, Invocation
from unlost.cli.render.happening import event_line


@click.command("watch", cls=Command, examples=("unlost watch", "unlost watch u-3f9c"))
@click.argument("unit", required=False)
@click.pass_obj
def command(invocation: Invocation, *, unit: str | None) -> int:
    """Follow a unit until it ends.

    Tells what happened so far and then what happens, on stderr; ends with the unit's own exit code when the unit
    ends, waits for somebody, or is driven by nobody. Watching changes nothing; Ctrl-C ends only the watching.
    """
    with open_supervisor(invocation) as supervisor:
        name = supervisor.find(unit)
        for payload in follow(supervisor, name):
            line = event_line(payload, invocation.terminal.talk_palette)
            if line is not None:
                invocation.terminal.talk(line)
        return answer_unit(invocation, supervisor.show(name))
