"""A new boundary, and lists of boundaries and snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from unlost.cli.palette import Palette
from unlost.cli.render.amounts import count, listed, short_id, size_text
from unlost.cli.render.names import shown

if TYPE_CHECKING:
    from unlost.cli.render.documents import MarkDocument, Unread

_MOST_INCOMPLETE: Final = 10


def mark_text(document: MarkDocument, palette: Palette) -> str:
    """`boundary 3 · 2f9c1a7b3d · 812 files · 5 claims`, then what is not in it and what is lost."""
    parts = [
        palette.strong(f"boundary {document['boundary']}"),
        palette.faint(short_id(document["snapshot"])),
        count(document["files"], "file"),
        count(document["claims"], "claim"),
    ]
    lines = [" · ".join(parts)]
    lines += listed([_incomplete(unread, palette) for unread in document["incomplete"]], _MOST_INCOMPLETE)
    if document["open_losses"]:
        lost = count(document["open_losses"], "open loss", "open losses")
        lines.append(
            f"{palette.loss(lost)}: `unlost check` names them, `unlost restore --lost` brings back what is kept"
        )
    return "\n".join(lines)


def _incomplete(unread: Unread, palette: Palette) -> str:
    size = unread.get("bytes")
    amount = "" if size is None else f" ({size_text(size)})"
    return f"{palette.warning('not captured')}  {shown(unread['path'])}  {unread['reason'].replace('_', ' ')}{amount}"
