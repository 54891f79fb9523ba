"""What a restore, rewind, undo or redo did, or would do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from unlost.cli.palette import Palette
from unlost.cli.render.amounts import count, listed
from unlost.cli.render.documents import RestoreDocument
from unlost.cli.render.names import shown

_MOST_LINES: Final = 40
_WIDTH: Final = 9


def restore_text(document: RestoreDocument, palette: Palette, *, dry_run: bool = False) -> str:
    """One line a path, then the sum and how to take it back."""
    rows = [
        *(_row("restored", shown(path), palette.good) for path in document["restored"]),
        *(_row("merged", shown(path), palette.good) for path in document["merged"]),
        *(_row("removed", shown(path), palette.warning) for path in document.get("removed", ())),
        *(_row("as it was", shown(path), palette.faint) for path in document["already"]),
    ]
    failed = [
        _row("failed", f"{shown(failed['path'])}  {failed['reason']}", palette.loss) for failed in document["failed"]
    ]
    lines = [*listed(rows, _MOST_LINES), *failed]
    if dry_run:
        return "\n".join([*lines, palette.strong("nothing was changed (-n)")])
    return "\n".join([*lines, _sum(document, palette)])


def _row(word: str, text: str, dress: Callable[[str], str]) -> str:
    return f"{dress(word.ljust(_WIDTH))} {text}"


def _sum(document: RestoreDocument, palette: Palette) -> str:
    removed: Sequence[object] = document.get("removed", ())
    changed = len(document["restored"]) + len(document["merged"]) + len(removed)
    parts = [count(changed, "path") + " put back" if changed else "nothing to do"]
    if document["failed"]:
        parts.append(palette.loss(f"{len(document['failed']):,} failed"))
    if changed and not document["verified"]:
        parts.append(palette.loss("not verified"))
    if document["undo"]:
        parts.append(f"{document['undo']} takes it back")
    return " · ".join(parts)
