"""What `resume --all` did, one line a unit."""

from __future__ import annotations

from typing import Final

from unlost.app.resuming import Told
from unlost.cli.palette import Palette
from unlost.facts.quoting import clean, cut

_LONGEST: Final = 60
_GOOD: Final = frozenset({"done"})
_BAD: Final = frozenset({"failed", "expired", "blocked"})


def told_line(told: Told, palette: Palette) -> str:
    """`u-3f9c2a7b1d04  Drop the legacy parser  blocked (loss)  ~/src/x  next: unlost …`."""
    dress = palette.good if told.phase in _GOOD else palette.loss if told.phase in _BAD else palette.warning
    reason = f" ({told.reason.replace('_', ' ')})" if told.reason else ""
    parts = [
        palette.faint(told.unit),
        palette.strong(cut(clean(told.title, one_line=True), _LONGEST)),
        f"{dress(told.phase)}{reason}",
        palette.faint(clean(told.root, one_line=True)),
    ]
    if told.fate == "gone":
        parts.append(palette.warning("its work tree is not there; left alone"))
    elif told.fate == "driven":
        parts.append("goes on already")
    elif told.why is not None:
        parts.append(palette.warning(clean(told.why, one_line=True)))
    if told.next is not None and told.fate != "gone":
        parts.append(f"next: {told.next}")
    return "  ".join(part for part in parts if part)
