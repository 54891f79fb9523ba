"""`unlost watch`: follow a unit."""

from __future__ import annotations

import click

from unlost.app.following import follow, follow_log
from unlost.app.supervised import Supervisor
from unlost.cli.following import answer_unit, open_supervisor
from unlost.cli.invocation import Command, Invocation
from unlost.cli.render.happening import event_line


@click.command("watch", cls=Command, examples=("unlost watch", "unlost watch u-3f9c", "unlost watch --log"))
@click.argument("unit", required=False)
@click.option("--log", is_flag=True, help="Tell what a supervisor in the background and its agent say.")
@click.pass_obj
def command(invocation: Invocation, *, unit: str | None, log: bool) -> int:
    """Follow a unit until it ends.

    Tells what happened so far and then what happens, on stderr; ends with the unit's own exit code when the unit
    ends, waits for somebody, or is driven by nobody. Watching changes nothing; Ctrl-C ends only the watching.
    """
    with open_supervisor(invocation) as supervisor:
        name = supervisor.find(unit)
        (_tell_log if log else _tell_events)(invocation, supervisor, name)
        return answer_unit(invocation, supervisor.show(name))


def _tell_events(invocation: Invocation, supervisor: Supervisor, unit: str) -> None:
    for payload in follow(supervisor, unit):
        line = event_line(payload, invocation.terminal.talk_palette)
        if line is not None:
            invocation.terminal.talk(line)


def _tell_log(invocation: Invocation, supervisor: Supervisor, unit: str) -> None:
    for text in follow_log(supervisor, unit):
        invocation.terminal.talk(text.rstrip("\n"))
