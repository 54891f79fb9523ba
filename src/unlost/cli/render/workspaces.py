"""Workspaces as text: the list, and what a command did to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from unlost.app.landing import AppliedWorktree
from unlost.app.moving import SavedWorkspace
from unlost.app.removing import RemovedWorktree
from unlost.cli.palette import Palette
from unlost.cli.render.amounts import columns, count, short_id
from unlost.cli.render.documents import RestoreDocument
from unlost.cli.render.restored import restore_text
from unlost.facts.quoting import clean
from unlost.snapshot.registry import Identity
from unlost.workspace.restoring import Restored as RestoredRoot

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


def saved_text(saved: SavedWorkspace) -> str:
    """What was saved, and where it can be restored from."""
    snapshot = saved.saved.snapshot
    where = "in the shared store" if saved.is_shared else "in this machine's store (UNLOST_STORE names a shared one)"
    parts = [
        f"{saved.workspace} is saved {where}",
        f"snapshot {short_id(snapshot.id)}, {count(snapshot.files, 'file')}",
        f"epoch {saved.saved.epoch.number}",
    ]
    if snapshot.incomplete:
        parts.append(f"{count(len(snapshot.incomplete), 'path')} could not be captured")
    return " · ".join(parts)


def restored_root_text(restored: RestoredRoot) -> str:
    """What became of the root."""
    report = restored.report
    word = {"restored": "is made", "adopted": "is this workspace's already"}.get(report.outcome, report.outcome)
    parts = [f"{clean(report.root, one_line=True)} {word}", f"epoch {report.epoch}"]
    if restored.written is not None:
        parts.append(f"{count(restored.written, 'file')} written")
    if restored.linked:
        parts.append(f"{restored.linked:,} taken over from the old root")
    if report.replaced:
        parts.append("its own retired root was replaced")
    if restored.parked:
        parts.append(f"the old root stays as {clean(restored.parked, one_line=True)}")
    return " · ".join(parts)


def adopted_text(identity: Identity) -> str:
    """One line."""
    return f"{identity.workspace} is at {clean(identity.root, one_line=True)} now"


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
