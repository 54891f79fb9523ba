"""`unlost undo`: take the last restore or rewind back."""

from __future__ import annotations

import click

from unlost.cli.answers import answer_restored
from unlost.cli.invocation import Command, Invocation
from unlost.cli.opening import open_workspace


@click.command("undo", cls=Command, examples=("unlost undo",))
@click.pass_obj
def command(invocation: Invocation) -> int:
    """Take the last restore or rewind back.

    What stood before it comes back byte for byte; the restored content is kept, so `unlost redo` brings it back.
    """
    with open_workspace(invocation) as workspace:
        done = workspace.undo()
    return answer_restored(invocation, done)
