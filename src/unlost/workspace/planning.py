"""What a restore is to do, decided from the ledger alone, and recorded before anything is touched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from unlost.facts.records import dataclass
from unlost.host.ids import NewId
from unlost.ledger.protocol import Ledger
from unlost.workspace.epochs import Epoch, raise_epoch
from unlost.workspace.events import OperationBegun, OperationEnded, Recorder, read_record
from unlost.workspace.facts import Location, Operation, OperationOutcome, WorkspaceRecord
from unlost.workspace.failures import RestoreOutcome, RestoreReport, failure
from unlost.workspace.proof import authority_is_clean, is_retired_own_allocation, unsaved_epoch
from unlost.workspace.saving import settle_saves
from unlost.workspace.script.orders import identity_of

Visit = Callable[[WorkspaceRecord, Operation], int | None]
"""Looks whether the root of a move that nobody recorded the end of stands at its place: the folder's inode, or None."""

_STEP: Final = "plan_restore"


@dataclass(frozen=True, kw_only=True)
class RestoreOrder:
    """Whose newest saved work to bring where, and for whom. The same order again is the same operation.

    `allow_empty`: an empty folder may stand at the root; the proof is not asked then. `private`: precious ignored files
    come along. `abandon`: a person says that what an earlier writer did not save is given up.
    """

    workspace: str
    location: Location
    holder: str
    allow_empty: bool = False
    private: bool = False
    abandon: bool = False


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A restore, or the adoption of a root that holds the newest work already (`operation.kind` is prepare).

    `length` is that of the record's stream when the operation was the last word in it. `interrupted`: identities whose
    leavings beside the root may go.
    """

    epoch: Epoch
    operation: Operation
    operations: tuple[Operation, ...]
    save: Operation | None
    length: int
    interrupted: tuple[str, ...] = ()

    def report(
        self,
        order: RestoreOrder,
        outcome: RestoreOutcome,
        reason: str | None,
        *,
        replaced: bool = False,
        step: str | None = None,
        stage: str | None = None,
        exit_code: int | None = None,
    ) -> RestoreReport:
        """The report of a restore of this plan."""
        return RestoreReport(
            workspace=order.workspace,
            root=order.location.root,
            epoch=self.epoch.number,
            identity=self.operation.identity,
            outcome=outcome,
            replaced=replaced,
            step=step or (_STEP if reason else None),
            exit=exit_code if reason else 0,
            stage=stage,
            reason=reason,
        )


def plan_restore(ledger: Ledger, order: RestoreOrder, *, visit: Visit, new_id: NewId, is_missing: bool = False) -> Plan:
    """Decide and record. Raises RestoreRefused for `missing_snapshot` and `unsaved`: then no epoch was raised.

    `is_missing`: it was seen that nothing stands at the root. Also raises StreamMoved or KeyTaken (exit 75) when
    another writer was faster, and what `visit` raises.
    """
    record = read_record(ledger, order.workspace)
    again = None if is_missing else _same_operation(record, order)
    if again is not None and record.newest is not None:
        save = None if again.parent is None else record.operation(again.parent)
        return _plan(record, record.newest, again, save, order)
    save = record.newest_save
    if save is None:
        raise _refusal(order, record, "missing_snapshot")
    if unsaved_epoch(record) is not None and not order.abandon:
        raise _refusal(order, record, "unsaved")
    epoch = _raised(ledger, record, order)
    recorder = Recorder(ledger, epoch)
    record = recorder.read()
    if _settle(recorder, record, order, visit):
        record = recorder.read()
    stays = save.is_at(order.location.place, order.location.root_digest) and not is_missing
    return _begin(recorder, record, save, order, new_id, stays=stays)


def _same_operation(record: WorkspaceRecord, order: RestoreOrder) -> Operation | None:
    """The operation that this order asked for before, while its epoch is the newest."""
    newest, here = record.newest, order.location
    if newest is None or not _is_own(newest, order):
        return None
    own = [
        each
        for each in record.operations
        if each.kind in ("restore", "prepare")
        and each.epoch == newest.number
        and each.is_at(here.place, here.root_digest)
        and each.outcome in (None, "succeeded")
    ]
    return own[-1] if own else None


def _raised(ledger: Ledger, record: WorkspaceRecord, order: RestoreOrder) -> Epoch:
    """A new epoch, or the one that this very order raised before it was killed."""
    newest = record.newest
    if newest is not None and _is_own(newest, order) and all(e.epoch != newest.number for e in record.operations):
        return newest
    return raise_epoch(
        ledger,
        order.workspace,
        holder=order.holder,
        purpose="move",
        place=order.location.place,
        root_digest=order.location.root_digest,
    )


def _settle(recorder: Recorder, record: WorkspaceRecord, order: RestoreOrder, visit: Visit) -> bool:
    """Settle what overtaken writers left open; whether there was anything.

    Their saves; their moves at this root, by a look at what stands there; and their moves elsewhere when a person gave
    those up.
    """
    has_settled = settle_saves(recorder, record)
    here = order.location
    for each in record.operations:
        if each.is_save or each.outcome is not None:
            continue
        if each.is_at(here.place, here.root_digest):
            inode = visit(record, each)
            outcome: OperationOutcome = "refused" if inode is None else "succeeded"
            reason = "interrupted" if inode is None else ""
            recorder.end(OperationEnded(operation=each.id, outcome=outcome, reason=reason, inode=inode))
            has_settled = True
        elif order.abandon:
            recorder.end(OperationEnded(operation=each.id, outcome="failed", reason="abandoned"))
            has_settled = True
    return has_settled


def _begin(
    recorder: Recorder, record: WorkspaceRecord, save: Operation, order: RestoreOrder, new_id: NewId, *, stays: bool
) -> Plan:
    """Record the operation, with the proof as the record gives it now; a root that `stays` is kept as it is (W.23)."""
    epoch, here, operation = recorder.epoch, order.location, new_id("o")
    may_replace = (
        not stays
        and not order.allow_empty
        and authority_is_clean(record, epoch)
        and is_retired_own_allocation(record, place=here.place, root_digest=here.root_digest, epoch=epoch.number)
    )
    begun = OperationBegun(
        operation=operation,
        kind="prepare" if stays else "restore",
        epoch=epoch.number,
        holder=order.holder,
        place=here.place,
        root_digest=here.root_digest,
        snapshot=save.snapshot,
        identity=identity_of(
            workspace=order.workspace,
            snapshot=save.snapshot or "",
            place=here.place,
            root=here.root,
            operation=operation,
        ),
        parent=save.id,
        replace_retired_root=may_replace,
        keep_parked=may_replace and _last_save(record, here).left_out > 0,
    )
    recorder.begin(record, begun)
    record = recorder.read()
    return _plan(record, epoch, record.operation(operation), save, order)


def _plan(
    record: WorkspaceRecord, epoch: Epoch, operation: Operation, save: Operation | None, order: RestoreOrder
) -> Plan:
    here = order.location
    moves = [each for each in record.operations if not each.is_save and each.is_at(here.place, here.root_digest)]
    return Plan(
        epoch=epoch,
        operation=operation,
        operations=record.operations,
        save=save,
        length=record.length,
        interrupted=tuple(
            each.identity
            for each in moves
            if each.identity is not None and each.id != operation.id and not each.keeps and each.outcome != "succeeded"
        ),
    )


def _last_save(record: WorkspaceRecord, here: Location) -> Operation:
    """The save that the proof rests on."""
    return [each for each in record.operations if each.is_save and each.is_at(here.place, here.root_digest)][-1]


def _is_own(epoch: Epoch, order: RestoreOrder) -> bool:
    return epoch.is_move_of(order.holder, order.location.place, order.location.root_digest)


def _refusal(order: RestoreOrder, record: WorkspaceRecord, reason: str) -> Exception:
    report = RestoreReport(
        workspace=order.workspace,
        root=order.location.root,
        epoch=None if record.newest is None else record.newest.number,
        identity=None,
        outcome="refused",
        step=_STEP,
        stage="read_record",
        reason=reason,
    )
    return failure(report)
