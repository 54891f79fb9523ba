"""What became of a worktree's work, and of the worktree."""

from __future__ import annotations

from typing import cast

from unlost.app.landing import AppliedWorktree
from unlost.app.removing import RemovedWorktree
from unlost.cli.palette import Palette
from unlost.cli.render.amounts import count, short_id
from unlost.cli.render.documents import RestoreDocument
from unlost.cli.render.restored import restore_text
from unlost.facts.quoting import clean


def applied_text(applied: AppliedWorktree, palette: Palette, *, dry_run: bool) -> str:
    """What went over, as a restore tells it; then what to do about a path that did not."""
    document = cast("RestoreDocument", applied.restored.to_json())
    lines = [restore_text(document, palette, dry_run=dry_run)]
    if any(each.reason == "conflict" for each in applied.restored.failed):
        lines.append(f"a conflict is left to you: unlost diff {short_id(applied.snapshot)} shows both sides")
    return "\n".join(lines)


def removed_text(removed: RemovedWorktree) -> str:
    """What is left of it."""
    parts = [f"{removed.workspace} is removed", f"snapshot {short_id(removed.snapshot)} keeps it"]
    if removed.branch is not None:
        parts.append(f"its branch {clean(removed.branch, one_line=True)} stays")
    if removed.left:
        parts.append(count(len(removed.left.uncommitted) + len(removed.left.unpushed), "path") + " landed nowhere")
    return " · ".join(parts)
