"""Answers that several commands give."""

from __future__ import annotations

from typing import cast

from unlost.cli.invocation import Invocation
from unlost.cli.render.documents import RestoreDocument
from unlost.cli.render.restored import restore_text
from unlost.plain.restore import Restored


def answer_restored(invocation: Invocation, restored: Restored) -> int:
    """Answer with what a restore, rewind, undo or redo did, and return its exit code."""
    document = cast("RestoreDocument", restored.to_json())
    text = restore_text(document, invocation.terminal.palette, dry_run=invocation.dry_run)
    invocation.answer(restored.to_json(), text, even_quiet=bool(restored.failed))
    return restored.exit_code
