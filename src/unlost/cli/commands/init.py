"""`unlost init`: register a work tree."""

from __future__ import annotations

from typing import cast

import click

from unlost.cli.invocation import Command, Invocation
from unlost.cli.proving import open_to_prove
from unlost.cli.render.boundary import mark_text
from unlost.cli.render.documents import MarkDocument

_NEXT = """\
nothing was written into the repository. Next:
  unlost run -- your-agent     a boundary before and after
  unlost check                 is all of it still there?"""


@click.command("init", cls=Command, examples=("unlost init", "unlost -C ~/project init"))
@click.pass_obj
def command(invocation: Invocation) -> int:
    """Register this work tree; nothing is written into it.

    The same as the first `unlost mark`, which does it by itself: the first boundary is taken, so that all
    uncommitted work of now can be brought back.
    """
    with open_to_prove(invocation) as workspace:
        marked = workspace.mark("init")
    document = marked.to_json()
    text = mark_text(cast("MarkDocument", document), invocation.terminal.palette)
    invocation.answer(document, f"{text}\n{_NEXT}")
    return marked.exit_code
