"""`unlost status`, and plain `unlost`."""

from __future__ import annotations

from typing import cast

import click

from unlost.app.news import note_look
from unlost.app.status import read_status
from unlost.app.units import Unit, find_unit, private_question
from unlost.cli import lining
from unlost.cli.invocation import Command, Invocation
from unlost.cli.proving import open_to_prove
from unlost.cli.render.overview import status_text
from unlost.cli.render.unit import UnitDocument, unit_text
from unlost.engine.stream import UnitStream
from unlost.facts.errors import WorkLost
from unlost.host.clock import SystemClock


@click.command("status", cls=Command, examples=("unlost", "unlost status u-3f9c", "unlost status --line"))
@click.argument("unit", required=False)
@click.option("--line", is_flag=True, help="One line of at most 60 characters, at once: for a prompt or a status bar.")
@click.pass_obj
def command(invocation: Invocation, *, unit: str | None, line: bool) -> int:
    """What needs you, and what happened here (also plain `unlost`).

    Begins with what happened since you last looked; only this view counts as a look, not --json and not --line. Reads
    what is on record and proves nothing: `unlost check` does. With UNIT, that unit. Exit 4 while work is lost.
    """
    if line and unit is None and not invocation.json:
        return lining.carry_out(invocation)
    clock = SystemClock()
    with open_to_prove(invocation) as workspace:
        if unit is not None:
            state = UnitStream(workspace.ledger, find_unit(workspace.ledger, unit, workspace=None)).state
            document = Unit(state, private_question(workspace.ledger, state)).document
            invocation.answer(document, unit_text(cast("UnitDocument", document), invocation.terminal.palette))
            return WorkLost.exit_code if state.proof.is_loss else 0
        status = read_status(workspace, clock)
        if status.workspace is not None and not invocation.json:
            note_look(workspace.place.folder, clock.now())
    palette = invocation.terminal.palette
    invocation.answer(status.to_json(), status_text(status, palette, now=clock.now()))
    return status.exit_code
