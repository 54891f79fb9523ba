"""The events of a workspace's moves, in the stream `operations-<workspace>`, and their fold.

Facts are public and hold no path. Every one is appended under the fence of the epoch it was made in, so a writer that
was overtaken adds nothing, and no two operations of one record can both believe to be the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from unlost.facts.records import dataclass, replace
from unlost.ledger.events import NewEvent
from unlost.ledger.payload import Declared, Vocabulary
from unlost.ledger.protocol import Ledger
from unlost.workspace.epochs import Epoch, read_epochs
from unlost.workspace.facts import (
    Handover,
    Operation,
    OperationKind,
    OperationOutcome,
    Quiescence,
    RecordState,
    WorkspaceRecord,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class OperationBegun:
    """An operation is about to touch something. Without place and root it is no evidence for anything (W.8).

    `replace_retired_root`: the proof was given from the record as it was when this was appended.
    `keep_parked`: that root holds paths that its last snapshot does not.
    """

    operation: str
    kind: OperationKind
    epoch: int
    holder: str
    place: str | None = None
    root_digest: str | None = None
    snapshot: str | None = None
    identity: str | None = None
    parent: str | None = None
    replace_retired_root: bool = False
    keep_parked: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class OperationAdvanced:
    """How far it came; a save says with `staged` what it captured and what ran meanwhile."""

    operation: str
    state: RecordState
    snapshot: str | None = None
    quiescence: Quiescence | None = None
    left_out: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class OperationEnded:
    """It is settled."""

    operation: str
    outcome: OperationOutcome
    reason: str = ""
    inode: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class HandedOver:
    """The unit `parent`, done for now at this save, lets the unit `child` write next."""

    parent: str
    child: str
    epoch: int
    save: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TakenBack:
    """The unit `parent` writes again, at `epoch`; `saves` are the final saves that its children made meanwhile."""

    parent: str
    epoch: int
    saves: tuple[str, ...]


Payload = OperationBegun | OperationAdvanced | OperationEnded | HandedOver | TakenBack

EVENTS: Final = Vocabulary(
    {
        "operation.begun": Declared(payload=OperationBegun),
        "operation.advanced": Declared(payload=OperationAdvanced),
        "operation.ended": Declared(payload=OperationEnded),
        "workspace.handed_over": Declared(payload=HandedOver),
        "workspace.taken_back": Declared(payload=TakenBack),
    }
)


def read_record(ledger: Ledger, workspace: str) -> WorkspaceRecord:
    """Everything recorded of a workspace's writers and moves. Raises StreamDamaged."""
    # Operations first: whoever appends what was decided from them is fenced by the epochs, which are read after.
    events = ledger.read(stream_of(workspace))
    found: dict[str, Operation] = {}
    handovers: list[Handover] = []
    for event in events:
        payload: Payload = EVENTS.payload(event)
        if isinstance(payload, OperationBegun):
            found[payload.operation] = _begun(payload, event.sequence)
        elif isinstance(payload, HandedOver):
            handovers.append(_handover(payload))
        elif isinstance(payload, TakenBack):
            handovers = [each if each.parent != payload.parent else replace(each, is_over=True) for each in handovers]
        elif payload.operation in found:
            found[payload.operation] = _further(found[payload.operation], payload)
    return WorkspaceRecord(
        workspace=workspace,
        epochs=read_epochs(ledger, workspace),
        operations=tuple(found.values()),
        handovers=tuple(handovers),
        length=len(events),
    )


class Recorder:
    """Appends operations in one writer's name. Raises FencedOut (exit 75) once another one took over."""

    def __init__(self, ledger: Ledger, epoch: Epoch) -> None:
        self._ledger = ledger
        self.epoch = epoch

    def read(self) -> WorkspaceRecord:
        """The record as it is now."""
        return read_record(self._ledger, self.epoch.workspace)

    def begin(self, record: WorkspaceRecord, begun: OperationBegun) -> None:
        """Record an operation that was decided from `record`. Raises StreamMoved when that is not the newest."""
        self._append(begun, key=f"{begun.operation} begun", expect=record.length)

    def advance(self, advanced: OperationAdvanced, *, expect: int | None = None) -> None:
        """Record how far it came; with `expect` only while nobody recorded anything else."""
        self._append(advanced, key=_key(advanced), expect=expect)

    def end(self, ended: OperationEnded, *steps: OperationAdvanced) -> None:
        """Record how it ended, after its last steps, together or not at all; the first word on that stays."""
        told: tuple[OperationAdvanced | OperationEnded, ...] = (*steps, ended)
        self._append_all([EVENTS.new(each, key=_key(each)) for each in told])

    def note(self, payload: HandedOver | TakenBack, *, key: str) -> None:
        """Record that the workspace changes hands between units."""
        self._append(payload, key=key)

    def _append(self, payload: Payload, *, key: str, expect: int | None = None) -> None:
        self._append_all([EVENTS.new(payload, key=key)], expect)

    def _append_all(self, events: Sequence[NewEvent], expect: int | None = None) -> None:
        self._ledger.append(stream_of(self.epoch.workspace), events, expect=expect, fence=self.epoch.fence)


def _key(payload: OperationAdvanced | OperationEnded) -> str:
    return f"{payload.operation} {payload.state if isinstance(payload, OperationAdvanced) else 'ended'}"


def stream_of(workspace: str) -> str:
    """The stream of a workspace's operations."""
    return f"operations-{workspace}"


def _begun(begun: OperationBegun, number: int) -> Operation:
    return Operation(
        id=begun.operation,
        number=number,
        kind=begun.kind,
        epoch=begun.epoch,
        holder=begun.holder,
        place=begun.place,
        root_digest=begun.root_digest,
        snapshot=begun.snapshot,
        identity=begun.identity,
        parent=begun.parent,
        replaces=begun.replace_retired_root,
        keeps=begun.keep_parked,
    )


def _handover(handed: HandedOver) -> Handover:
    return Handover(parent=handed.parent, child=handed.child, epoch=handed.epoch, save=handed.save)


def _further(operation: Operation, payload: OperationAdvanced | OperationEnded) -> Operation:
    if isinstance(payload, OperationEnded):
        return replace(operation, outcome=payload.outcome, reason=payload.reason, inode=payload.inode)
    return replace(
        operation,
        state=payload.state,
        snapshot=payload.snapshot or operation.snapshot,
        quiescence=payload.quiescence or operation.quiescence,
        left_out=payload.left_out or operation.left_out,
    )
