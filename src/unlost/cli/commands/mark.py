"""`unlost mark`: take a boundary."""

from __future__ import annotations

import click

from unlost.cli.invocation import Command, Invocation
from unlost.cli.marking import carry_out


@click.command("mark", cls=Command, examples=("unlost mark", "unlost mark -m 'before the big refactoring'"))
@click.option("-m", "--label", default="", metavar="LABEL", help="A name for this boundary; WHEN can use it.")
@click.pass_obj
def command(invocation: Invocation, *, label: str) -> int:
    """Take a boundary: a snapshot of every file, and claims on the work in it.

    The first mark registers the work tree. Earlier claims are proved again first; exit 4 while a loss is open, and
    the boundary is taken all the same.
    """
    return carry_out(invocation, label=label)
