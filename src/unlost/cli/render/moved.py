"""What a save or a restore did to a workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlost.cli.render.amounts import count, short_id
from unlost.facts.quoting import clean

if TYPE_CHECKING:
    from unlost.app.saving import SavedWorkspace
    from unlost.workspace.restoring import Restored


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


def restored_root_text(restored: Restored) -> str:
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
