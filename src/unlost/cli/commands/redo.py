"""`unlost redo`: do again what undo took back."""

from __future__ import annotations

import click

from unlost.cli.answers import answer_restored
from unlost.cli.invocation import Command, Invocation
from unlost.cli.opening import open_workspace


@click.command("redo", cls=Command, examples=("unlost redo",))
@click.pass_obj
def command(invocation: Invocation) -> int:
    """Do again what undo took back.

    Works until something else is restored or rewound.
    """
    with open_workspace(invocation) as workspace:
        done = workspace.redo()
    return answer_restored(invocation, done)
