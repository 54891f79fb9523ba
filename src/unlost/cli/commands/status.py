"""`unlost status`, and plain `unlost`."""

from __future__ import annotations

from typing import cast

import click

from unlost.app.status import read_status
from unlost.app.units import Unit, find_unit, private_question
from unlost.cli.invocation import Command, Invocation
from unlost.cli.keeping import open_keeper
from unlost.cli.render.overview import status_line, status_text
from unlost.cli.render.unit import UnitDocument, unit_text
from unlost.engine.stream import UnitStream
from unlost.host.clock import SystemClock


@click.command("status", cls=Command, examples=("unlost", "unlost status u-3f9c", "unlost status --line"))
@click.argument("unit", required=False)
@click.option("--line", is_flag=True, help="One line, for a prompt.")
@click.pass_obj
def command(invocation: Invocation, *, unit: str | None, line: bool) -> int:
    """What needs you, and what happened here (also plain `unlost`).

    Reads what is on record and proves nothing: `unlost check` does. With UNIT, that unit.
    """
    clock = SystemClock()
    with open_keeper(invocation) as workspace:
        if unit is not None:
            state = UnitStream(workspace.ledger, find_unit(workspace.ledger, unit, workspace=None)).state
            document = Unit(state, private_question(workspace.ledger, state)).document
            invocation.answer(document, unit_text(cast("UnitDocument", document), invocation.terminal.palette))
            return 0
        status = read_status(workspace, clock)
    palette = invocation.terminal.palette
    invocation.answer(status.to_json(), status_line(status) if line else status_text(status, palette, now=clock.now()))
    return 0
