"""The first receipt of a root that stands already: from then on it can be known again, and replaced when it retires."""

from __future__ import annotations

import os
from typing import Final

from unlost.facts.records import dataclass
from unlost.host.ids import NewId
from unlost.ledger.protocol import Ledger
from unlost.workspace.epochs import Epoch, raise_epoch, refuse_superseded
from unlost.workspace.events import OperationBegun, OperationEnded, Recorder, read_record
from unlost.workspace.facts import Location, Operation, WorkspaceRecord
from unlost.workspace.failures import RestoreFailed, RestoreReport, RestoreUnreachable, failure
from unlost.workspace.placing import PlaceProgram, order_on_record, remove_scratch
from unlost.workspace.ports import Progress, Transport, Unreachable
from unlost.workspace.script.orders import identity_of

_STEP: Final = "sandbox_prepare"


@dataclass(frozen=True, kw_only=True)
class PrepareOrder:
    """Which root gets a receipt, and for whom. `epoch` is the writer's own; without it a new one is raised."""

    workspace: str
    location: Location
    holder: str
    epoch: Epoch | None = None


def prepare(
    ledger: Ledger,
    order: PrepareOrder,
    *,
    transport: Transport,
    scratch: str,
    new_id: NewId,
    progress: Progress,
) -> RestoreReport:
    """Write `.unlost/workspace-ready.json` into a root that stands, and record its identity.

    Asked again while its epoch is the newest it is the same preparation, and edits since stay (W.A2). Raises
    RestoreRefused for a root that is missing or carries somebody else's receipt, RestoreSuperseded, RestoreUnreachable,
    RestoreFailed.
    """
    epoch = order.epoch or _own_or_new(ledger, order)
    refuse_superseded(ledger, epoch)
    recorder = Recorder(ledger, epoch)
    record = recorder.read()
    operation = _known(record, order, epoch) or _begin(recorder, record, order, new_id("o"))
    folder = os.path.join(scratch, f"prepare-{operation.id}")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    program = PlaceProgram(transport, scratch=folder, progress=progress)
    try:
        answer = program.obey(order_on_record("prepare", order.workspace, order.location, operation, record.operations))
    except Unreachable as error:
        report = _report(order, operation, reason="unreachable", stage=None, exit_code=None)
        raise RestoreUnreachable(report, why=error.message) from error
    finally:
        remove_scratch(folder)
    if answer.outcome not in ("prepared", "adopted"):
        reason = str(answer.facts.get("reason", "occupied_root"))
        stage = str(answer.facts.get("stage", "inspect_root"))
        report = _report(order, operation, reason=reason, stage=stage, exit_code=answer.exit)
        if answer.outcome == "failed":
            raise RestoreFailed(report)
        recorder.end(OperationEnded(operation=operation.id, outcome="refused", reason=reason))
        raise failure(report)
    if operation.outcome is None:
        recorder.end(OperationEnded(operation=operation.id, outcome="succeeded", inode=answer.facts.get("inode")))
    return _report(order, operation, reason=None, stage=None, exit_code=0)


def _own_or_new(ledger: Ledger, order: PrepareOrder) -> Epoch:
    """The newest epoch when this order raised it before, else a new one."""
    here, newest = order.location, read_record(ledger, order.workspace).newest
    if newest is not None and newest.is_move_of(order.holder, here.place, here.root_digest):
        return newest
    return raise_epoch(
        ledger,
        order.workspace,
        holder=order.holder,
        purpose="move",
        place=here.place,
        root_digest=here.root_digest,
    )


def _known(record: WorkspaceRecord, order: PrepareOrder, epoch: Epoch) -> Operation | None:
    """The preparation of this root in this epoch, when there is one."""
    here = order.location
    for each in reversed(record.operations):
        is_here = each.is_at(here.place, here.root_digest) and each.epoch == epoch.number
        if is_here and each.kind in ("prepare", "restore") and each.outcome in (None, "succeeded"):
            return each
    return None


def _begin(recorder: Recorder, record: WorkspaceRecord, order: PrepareOrder, operation: str) -> Operation:
    here = order.location
    identity = identity_of(
        workspace=order.workspace, snapshot="", place=here.place, root=here.root, operation=operation
    )
    begun = OperationBegun(
        operation=operation,
        kind="prepare",
        epoch=recorder.epoch.number,
        holder=order.holder,
        place=here.place,
        root_digest=here.root_digest,
        identity=identity,
    )
    recorder.begin(record, begun)
    return recorder.read().operation(operation)


def _report(
    order: PrepareOrder, operation: Operation, *, reason: str | None, stage: str | None, exit_code: int | None
) -> RestoreReport:
    return RestoreReport(
        workspace=order.workspace,
        root=order.location.root,
        epoch=operation.epoch,
        identity=operation.identity,
        outcome="adopted" if reason is None else "refused",
        step=None if reason is None else _STEP,
        operation="prepare",
        exit=exit_code,
        stage=stage,
        reason=reason,
    )
