"""Workspaces as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from unlost.cli.palette import Palette
from unlost.cli.render.amounts import columns
from unlost.facts.quoting import clean
from unlost.snapshot.registry import Identity

NOTHING: Final = "no workspace yet; `unlost mark` registers the work tree it is typed in"


def workspaces_text(rows: Sequence[Mapping[str, Any]], palette: Palette) -> str:
    """One line a workspace: id, what is there, epoch, boundary, place, root."""
    cells = [
        (
            row["workspace"],
            row["state"],
            "-" if row["epoch"] is None else f"epoch {row['epoch']}",
            "-" if row["boundary"] is None else f"boundary {row['boundary']}",
            clean(row["branch"] or "-", one_line=True),
            clean(row["root"], one_line=True),
        )
        for row in rows
    ]
    gone = [row["state"] != "present" for row in rows]
    lines = [palette.faint(line) if dim else line for line, dim in zip(columns(cells), gone, strict=True)]
    return "\n".join(lines) or NOTHING


def adopted_text(identity: Identity) -> str:
    """One line."""
    return f"{identity.workspace} is at {clean(identity.root, one_line=True)} now"
