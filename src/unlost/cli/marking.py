"""What `unlost mark` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from unlost.cli.invoked import Invocation
from unlost.cli.proving import open_to_prove
from unlost.cli.render.boundary import mark_text
from unlost.cli.tending import tend_after

if TYPE_CHECKING:
    from unlost.cli.render.documents import MarkDocument


def carry_out(invocation: Invocation, *, label: str = "") -> int:
    """Take a boundary and tell it; returns the exit code."""
    with open_to_prove(invocation) as workspace:
        marked = workspace.mark(label)
        document = marked.to_json()
        invocation.answer(document, mark_text(cast("MarkDocument", document), invocation.terminal.palette))
        tend_after(invocation, workspace)
    return marked.exit_code
