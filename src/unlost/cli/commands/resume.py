"""`unlost resume`: go on with a unit, or with every one that can go on."""

from __future__ import annotations

import click

from unlost.app.resuming import resume_all, worst
from unlost.app.workspaces import on_this_machine
from unlost.cli.detaching import enter_background, outliving_the_terminal, run_detached
from unlost.cli.following import answer_unit, open_supervisor
from unlost.cli.invocation import Command, Invocation
from unlost.cli.options import duration
from unlost.cli.render.resumed import told_line
from unlost.facts.errors import UsageError


@click.command(
    "resume",
    cls=Command,
    examples=(
        "unlost resume",
        "unlost resume u-3f9c --raise-cost 5",
        "unlost resume --restore",
        "unlost resume --detach",
        "unlost resume --all",
    ),
)
@click.argument("unit", required=False)
@click.option("--restore", is_flag=True, help="Put lost work back by itself, now and later in this unit.")
@click.option("--raise-cost", type=click.FloatRange(min=0.0), default=0.0, metavar="X", help="Dollars more to spend.")
@click.option("--extend", callback=duration, metavar="2h", help="Time more to take.")
@click.option("--detach", is_flag=True, help="Go on in the background: no terminal is needed, none can end it.")
@click.option("--all", "every", is_flag=True, help="Every unit on this machine that can go on, in all workspaces.")
@click.option("--log", type=click.Path(), hidden=True)
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    unit: str | None,
    restore: bool,
    raise_cost: float,
    extend: float,
    detach: bool,
    every: bool,
    log: str | None,
) -> int:
    """Go on with a unit that waits or was interrupted.

    After a kill, a reboot or a restore: what the last attempt left is found out first, and finished tasks never run
    again. UNIT may be left out when one is open here; a few digits are enough.

    With --all, whatever was interrupted goes on, different workspaces side by side, each under a supervisor in the
    background; what waits for a person is told and left alone. One line a unit; the exit code is the worst of theirs.
    """
    if every:
        if unit is not None or restore or raise_cost or extend or detach:
            raise UsageError("--all takes every unit as it is", hint="unlost resume UNIT --raise-cost X")
        return _resume_all(invocation)
    if log is not None:
        enter_background(invocation, log)
    with open_supervisor(invocation) as supervisor, outliving_the_terminal(invocation, supervisor):
        if detach:
            options = _words(restore=restore, raise_cost=raise_cost, extend=extend)
            return run_detached(invocation, supervisor, supervisor.find(unit), options)
        resumed = supervisor.resume(unit, restore=restore, raise_cost=raise_cost, extend=extend)
        return answer_unit(invocation, resumed)


def _resume_all(invocation: Invocation) -> int:
    units = []
    with on_this_machine(invocation.environment) as machine:
        for told in resume_all(machine, invocation.environment):
            units.append(told)
            if not (invocation.json or invocation.quiet):
                invocation.terminal.data(told_line(told, invocation.terminal.palette))
    if invocation.json:
        document = {"schema": "unlost.resume/1", "units": [told.to_json() for told in units]}
        invocation.terminal.document(document)
    elif not units:
        invocation.answer({}, "no unit is open on this machine")
    return worst(told.code for told in units)


def _words(*, restore: bool, raise_cost: float, extend: float) -> tuple[str, ...]:
    """These options as a command line has them."""
    words = ["--restore"] if restore else []
    words += ["--raise-cost", str(raise_cost)] if raise_cost else []
    words += ["--extend", f"{extend:.0f}s"] if extend else []
    return tuple(words)
