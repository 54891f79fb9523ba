"""`unlost mark`: take a boundary."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from unlost.cli.invocation import Command, Invocation
from unlost.cli.keeping import open_keeper
from unlost.cli.render.boundary import mark_text
from unlost.cli.tending import tend_after

if TYPE_CHECKING:
    from unlost.cli.render.documents import MarkDocument


@click.command("mark", cls=Command, examples=("unlost mark", "unlost mark -m 'before the big refactoring'"))
@click.option("-m", "--label", default="", metavar="LABEL", help="A name for this boundary; WHEN can use it.")
@click.pass_obj
def command(invocation: Invocation, *, label: str) -> int:
    """Take a boundary: a snapshot of every file, and claims on the work in it.

    The first mark registers the work tree. Earlier claims are proved again first; exit 4 while a loss is open, and
    the boundary is taken all the same.
    """
    with open_keeper(invocation) as workspace:
        marked = workspace.mark(label)
        document = marked.to_json()
        invocation.answer(document, mark_text(cast("MarkDocument", document), invocation.terminal.palette))
        tend_after(invocation, workspace)
    return marked.exit_code
