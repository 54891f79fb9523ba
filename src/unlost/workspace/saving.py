"""Saving a workspace: its tree as a snapshot in the shared store, recorded so that a later restore can rest on it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from unlost.facts.errors import SupersededWriter, TryLater
from unlost.facts.records import dataclass
from unlost.host.crash import crash_point
from unlost.host.ids import NewId
from unlost.ledger.protocol import Ledger
from unlost.snapshot.facts import Snapshot
from unlost.workspace.epochs import Epoch, raise_epoch, refuse_overtaken
from unlost.workspace.events import OperationAdvanced, OperationBegun, OperationEnded, Recorder, read_record
from unlost.workspace.facts import DURABLE, Location, Quiescence, RecordState, WorkspaceRecord
from unlost.workspace.ports import Progress, Store

CRASH_POINTS: Final = ("save.begun", "save.staged", "save.stored", "save.committed")
"""Where a test may kill a save; the next one settles what it left and saves again."""

_KEPT: Final[tuple[RecordState, ...]] = ("uploaded", "committed")

Still = Callable[[], AbstractContextManager[Quiescence]]
"""Keeps agents from starting as long as it is open, and tells which ones run."""


@dataclass(frozen=True, kw_only=True)
class SaveOrder:
    """What to save, where it stands, and for whom. `final`: the writer is done here, and nothing may run any more.

    `epoch` is the writer's own where it has one; without it the newest epoch must have been raised at this root.
    """

    workspace: str
    location: Location
    holder: str
    final: bool = True
    private: bool = False
    epoch: Epoch | None = None


@dataclass(frozen=True, kw_only=True)
class Saved:
    """A save that is recorded. `left_out`: paths that the snapshot does not hold."""

    operation: str
    snapshot: Snapshot
    epoch: Epoch
    state: RecordState
    left_out: int
    sent: int | None


def save(
    ledger: Ledger,
    order: SaveOrder,
    *,
    capture: Callable[[], Snapshot],
    still: Still,
    store: Store | None,
    new_id: NewId,
    progress: Progress,
    record: WorkspaceRecord | None = None,
) -> Saved:
    """Capture the tree and put it into the store (None: this machine's own store is all there is).

    A final save proves that no agent of its epoch runs: `still` is open while the tree is captured. Raises TryLater
    while one does, SupersededWriter when a newer epoch owns the workspace, Unreachable, StoreRefused, CaptureFailed;
    then nothing counts as saved. `record` is what the caller read; an older one begins nothing (StreamMoved).
    """
    epoch = order.epoch or _own_epoch(ledger, order)
    recorder = Recorder(ledger, epoch)
    record = record or recorder.read()
    refuse_overtaken(record.epochs[-1], epoch)
    record = _settled(recorder, record)
    operation = new_id("o")
    with still() as quiescence:
        if order.final:
            _refuse_running(quiescence)
        recorder.begin(record, _begun(order, operation, epoch, record))
        crash_point("save.begun")
        try:
            snapshot = capture()
        except BaseException:
            recorder.end(OperationEnded(operation=operation, outcome="failed", reason="not captured"))
            raise
        left_out = len(snapshot.incomplete)
        recorder.advance(
            OperationAdvanced(
                operation=operation,
                state="staged",
                snapshot=snapshot.id,
                quiescence=quiescence,
                left_out=left_out,
            )
        )
        crash_point("save.staged")
    sent = _keep(recorder, operation, snapshot, order, store, progress)
    return Saved(operation=operation, snapshot=snapshot, epoch=epoch, state="committed", left_out=left_out, sent=sent)


def _own_epoch(ledger: Ledger, order: SaveOrder) -> Epoch:
    """The newest epoch when it was raised at this root; a first one for a workspace that never had a writer."""
    newest = read_record(ledger, order.workspace).newest
    here = order.location
    if newest is None:
        return raise_epoch(
            ledger,
            order.workspace,
            holder=order.holder,
            purpose="move",
            place=here.place,
            root_digest=here.root_digest,
        )
    if (newest.place, newest.root_digest) != (here.place, here.root_digest):
        raise SupersededWriter(
            f"{order.workspace} is written at another root since (epoch {newest.number}, place {newest.place}); "
            "this root is an older copy, and nothing was saved",
            hint="unlost workspace list",
        )
    return newest


def _refuse_running(quiescence: Quiescence) -> None:
    if quiescence.active:
        raise TryLater(
            f"{', '.join(quiescence.active)} runs in this workspace; nothing was saved", hint="unlost status"
        )
    if quiescence.unknown:
        raise TryLater("it cannot be told whether an agent runs in this workspace; nothing was saved")


def _begun(order: SaveOrder, operation: str, epoch: Epoch, record: WorkspaceRecord) -> OperationBegun:
    before = [each.id for each in record.operations if each.outcome == "succeeded" and each.epoch == epoch.number]
    return OperationBegun(
        operation=operation,
        kind="save_final" if order.final else "save_interim",
        epoch=epoch.number,
        holder=epoch.holder,
        place=order.location.place,
        root_digest=order.location.root_digest,
        parent=before[-1] if before else None,
    )


def _settled(recorder: Recorder, record: WorkspaceRecord) -> WorkspaceRecord:
    """The record with every save that a killed process of this or an earlier epoch left open settled."""
    return recorder.read() if settle_saves(recorder, record) else record


def settle_saves(recorder: Recorder, record: WorkspaceRecord) -> bool:
    """Settle saves that nobody can go on with: fenced out, or of this very epoch, whose only writer asks.

    One whose snapshot is there for good succeeded; of any other it is only known that it did not. Returns whether
    there was one.
    """
    has_settled = False
    for each in record.operations:
        if each.is_save and each.outcome is None:
            outcome: OperationEnded = (
                OperationEnded(operation=each.id, outcome="succeeded")
                if each.state in DURABLE
                else OperationEnded(operation=each.id, outcome="failed", reason="interrupted")
            )
            recorder.end(outcome)
            has_settled = True
    return has_settled


def _keep(
    recorder: Recorder, operation: str, snapshot: Snapshot, order: SaveOrder, store: Store | None, progress: Progress
) -> int | None:
    """Put a captured snapshot where restores find it, and record that; bytes sent, where the store tells."""
    try:
        sent = None if store is None else store.put(snapshot, private=order.private, progress=progress).sent
    except BaseException:
        recorder.end(OperationEnded(operation=operation, outcome="failed", reason="not stored"))
        raise
    crash_point("save.stored")
    # The store says only what it has for good, so that it was sent and that it stays become known at once.
    steps = [OperationAdvanced(operation=operation, state=state) for state in _KEPT]
    recorder.end(OperationEnded(operation=operation, outcome="succeeded"), *steps)
    crash_point("save.committed")
    return sent
