"""`unlost check`: prove again that all claimed work still stands."""

from __future__ import annotations

import click

from unlost.cli.checking import carry_out
from unlost.cli.invocation import Command, Invocation


@click.command("check", cls=Command, examples=("unlost check", "unlost check --since 'before lunch' --json"))
@click.option("--since", metavar="WHEN", help="Prove against an earlier boundary than the last one.")
@click.option("--paranoid", is_flag=True, help="Read every file again instead of trusting what the system says of it.")
@click.pass_obj
def command(invocation: Invocation, *, since: str | None, paranoid: bool) -> int:
    """Prove again that all claimed work still stands in the tree.

    Exit 4 when work, a commit or a stash is lost; each loss is told with the command that brings it back. Nothing is
    changed. A loss stays open until its content is back or a person accepts it.
    """
    return carry_out(invocation, since=since, paranoid=paranoid)
