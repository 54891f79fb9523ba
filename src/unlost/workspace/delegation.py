"""A unit lends its workspace to child units and takes it back; each writes at an epoch of its own.

parent   save (final)   ->  hand_over
child    restore, work, save (final)          one child after another, each where it likes
parent   take_back: a restore over its own retired root, or a look at it when the last child worked right there
"""

from __future__ import annotations

from unlost.facts.errors import NeedsPerson
from unlost.facts.records import dataclass
from unlost.host.ids import NewId
from unlost.ledger.protocol import Ledger
from unlost.workspace.epochs import Epoch, refuse_superseded
from unlost.workspace.events import HandedOver, Recorder, TakenBack, read_record
from unlost.workspace.facts import DURABLE, Handover, Operation, WorkspaceRecord
from unlost.workspace.planning import RestoreOrder
from unlost.workspace.ports import Progress, Transport
from unlost.workspace.restoring import Restored, Source, restore


@dataclass(frozen=True, kw_only=True)
class ChildWork:
    """What one child saved: its own name for itself, its epoch, the snapshot."""

    holder: str
    epoch: int
    snapshot: str


@dataclass(frozen=True, kw_only=True)
class Returned:
    """The parent's root with the newest work, and the final saves of its children, oldest first."""

    restored: Restored
    children: tuple[ChildWork, ...]


def hand_over(ledger: Ledger, epoch: Epoch, *, parent: str, child: str) -> Handover:
    """Record that `child` writes next. `epoch` is the parent's, and its last operation must be a durable final save.

    Raises SupersededWriter, and NeedsPerson while the parent's own work is not all saved.
    """
    refuse_superseded(ledger, epoch)
    recorder = Recorder(ledger, epoch)
    record = recorder.read()
    own = [each for each in record.operations if each.epoch == epoch.number and each.outcome != "refused"]
    if not own or own[-1].kind != "save_final" or own[-1].outcome != "succeeded" or own[-1].state not in DURABLE:
        raise NeedsPerson(
            f"the work of {parent} in {epoch.workspace} is not all saved; nothing was handed over",
            hint="unlost workspace save",
        )
    handed = HandedOver(parent=parent, child=child, epoch=epoch.number, save=own[-1].id)
    recorder.note(handed, key=f"handed over {own[-1].id} {child}")
    return Handover(parent=parent, child=child, epoch=epoch.number, save=own[-1].id)


def take_back(
    ledger: Ledger,
    order: RestoreOrder,
    *,
    parent: str,
    transport: Transport,
    source: Source,
    scratch: str,
    new_id: NewId,
    progress: Progress,
) -> Returned:
    """Make `parent` the writer again, on its own root with all that its children saved (W.A1).

    The same order again is the same operation. Raises what `restore` raises, `unsaved` while a child's work is not all
    saved, and NeedsPerson when the parent has handed nothing over.
    """
    before = _open_handover(read_record(ledger, order.workspace), parent)
    if before is None:
        raise NeedsPerson(f"{parent} has handed {order.workspace} to nobody; nothing was changed")
    restored = restore(
        ledger, order, transport=transport, source=source, scratch=scratch, new_id=new_id, progress=progress
    )
    record = read_record(ledger, order.workspace)
    saves = _saves_since(record, before)
    newest = record.newest
    assert newest is not None, "a restore has raised an epoch"
    taken = TakenBack(parent=parent, epoch=newest.number, saves=tuple(each.id for each in saves))
    Recorder(ledger, newest).note(taken, key=f"taken back {restored.operation}")
    children = (ChildWork(holder=s.holder, epoch=s.epoch, snapshot=s.snapshot or "") for s in saves)
    return Returned(restored=restored, children=tuple(children))


def _open_handover(record: WorkspaceRecord, parent: str) -> Handover | None:
    """The first handover of a parent that it has not taken back; the last one when it did already."""
    own = [each for each in record.handovers if each.parent == parent]
    waiting = [each for each in own if not each.is_over]
    return waiting[0] if waiting else (own[-1] if own else None)


def _saves_since(record: WorkspaceRecord, handed: Handover) -> tuple[Operation, ...]:
    """The final saves of later epochs, durable ones alone."""
    return tuple(
        each
        for each in record.operations
        if each.kind == "save_final" and each.epoch > handed.epoch and each.state in DURABLE
    )
