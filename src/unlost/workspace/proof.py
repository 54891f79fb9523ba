"""The proof that a root is this workspace's own retired allocation: the only ground on which a root is replaced.

Pure, over ledger records alone: what lies in the root proves nothing, for an agent can write it. Unknown fails closed.
"""

from __future__ import annotations

from collections.abc import Sequence

from unlost.workspace.epochs import Epoch
from unlost.workspace.facts import DURABLE, Operation, WorkspaceRecord


def is_retired_own_allocation(record: WorkspaceRecord, *, place: str, root_digest: str, epoch: int) -> bool:
    """Whether the root at this place is an earlier allocation of this workspace whose work is all saved.

    `epoch` is the asking writer's. True only if this root was used before (W.1, W.2), by earlier epochs alone (W.3),
    the last use ended in a final save that succeeded (W.4) with nothing running (W.5), no other save of that epoch is
    newer or unsettled (W.6), and its snapshot is committed or beyond (W.7). Operations without a location count for
    nothing, and one that could be a later use forbids it (W.8). A lease that comes back under a new row is the same
    place (W.24).
    """
    uses = [each for each in record.operations if each.is_at(place, root_digest) and each.outcome != "refused"]
    if not uses or any(each.epoch >= epoch for each in uses):
        return False
    last = max(uses, key=lambda each: (each.epoch, each.number))
    if last.kind != "save_final" or last.outcome != "succeeded" or last.state not in DURABLE:
        return False
    if last.quiescence is None or not last.quiescence.is_quiet:
        return False
    if any(_is_later_run(each, last, place, root_digest, epoch) for each in record.epochs):
        return False
    unlocated = [each for each in record.operations if not each.is_located]
    if any(each.epoch >= last.epoch for each in unlocated):
        return False
    others = [each for each in record.operations if each.is_save and each.epoch == last.epoch and each.id != last.id]
    return not any(each.number > last.number or not _is_settled(each) for each in others)


def authority_is_clean(record: WorkspaceRecord, epoch: Epoch, *, own: str | None = None) -> bool:
    """Whether the caller holds the workspace and nothing about it is uncertain or on its way (W.9, W.24).

    `own` is the caller's operation, which is on its way by nature.
    """
    if record.newest != epoch:
        return False
    return all(_is_settled(each) for each in record.operations if each.id != own)


def unsaved_epoch(record: WorkspaceRecord) -> int | None:
    """The newest epoch whose work is not all saved: a final save of it is missing, or did not become durable.

    None when every writer's work is in the store, or nobody wrote yet. Agents that run by hand are not seen.
    """
    wrote = [each.number for each in record.epochs if each.purpose == "run"]
    wrote += [each.epoch for each in record.operations if not each.is_save and each.outcome == "succeeded"]
    if not wrote:
        return None
    newest = max(wrote)
    finals = [each for each in record.operations if each.kind == "save_final" and each.epoch >= newest]
    return None if any(each.outcome == "succeeded" and each.state in DURABLE for each in finals) else newest


def recorded_roots(operations: Sequence[Operation], *, place: str, root_digest: str) -> dict[str, int]:
    """Every identity that was recorded for this root at this place, with the folder it was recorded for."""
    return {
        each.identity: each.inode
        for each in operations
        if each.is_at(place, root_digest) and each.identity is not None and each.inode is not None
    }


def _is_later_run(each: Epoch, last: Operation, place: str, root_digest: str, epoch: int) -> bool:
    """Whether agents were let into this root after its last save, by another writer than the one who asks."""
    is_here = (each.place, each.root_digest) == (place, root_digest)
    return is_here and each.purpose == "run" and each.number > last.epoch and each.number != epoch


def _is_settled(operation: Operation) -> bool:
    return operation.outcome is not None and operation.state != "unknown"
