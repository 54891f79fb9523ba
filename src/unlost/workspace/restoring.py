"""Restoring a workspace at a place: decided here from the ledger, carried out there by the program, recorded here.

    ask the record   ->  raise the epoch  ->  record the operation, with the proof  ->  look at the root
    send the packs   ->  stage beside the root  ->  prove once more that nobody went on  ->  publish  ->  record the end

Whatever is killed, the same command again is the same operation while its epoch is the newest (contracts.md).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, Protocol

from unlost.facts.errors import UnlostBug, UsageError
from unlost.facts.records import dataclass, replace
from unlost.host.crash import crash_point
from unlost.host.ids import NewId
from unlost.ledger.protocol import Ledger
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable
from unlost.snapshot.layout import Layout
from unlost.workspace.bundle import Bundle, write_bundle
from unlost.workspace.events import OperationAdvanced, OperationEnded, Recorder, read_record
from unlost.workspace.facts import Operation, WorkspaceRecord
from unlost.workspace.failures import RestoreFailed, RestoreOutcome, RestoreReport, RestoreUnreachable, failure
from unlost.workspace.placing import Answer, PlaceProgram, order_on_record, remove_scratch
from unlost.workspace.planning import Plan, RestoreOrder, plan_restore
from unlost.workspace.ports import Progress, Transport, Unreachable
from unlost.workspace.script.orders import Mode, Order

CRASH_POINTS: Final = (
    *("restore.planned", "restore.looked", "restore.sent", "restore.staged", "restore.proven", "restore.published"),
)
"""Where a test may kill the ledger's side of a restore."""

PLACE_CRASH_POINTS: Final = (
    *("restore_root.stage_begun", "restore_root.packs_proven"),
    *("restore_root.files_written", "restore_root.repository_made"),
    *("restore_root.staged", "restore_root.locked", "restore_root.exchanged", "restore_root.named"),
    *("restore_root.published", "restore_root.clearing", "restore_root.unparked", "restore_root.cleared"),
)
"""Where a test may kill the program on the place."""

_STEP: Final = "sandbox_restore"


class Source(Protocol):
    """Where snapshots come from."""

    @property
    def layout(self) -> Layout:
        """The local store that `bring` fills."""

    def bring(self, snapshot: str) -> Snapshot:
        """A snapshot, whole in the local store afterwards. Raises Unreachable, SnapshotUnreadable, UsageError."""


@dataclass(frozen=True, kw_only=True)
class Restored:
    """A root that stands.

    `linked` files were in the old root unchanged, `written` are new there; both None when the root was adopted as it
    is. `parked` is the name that the old root keeps beside the new one, because it holds what no snapshot does.
    """

    report: RestoreReport
    operation: str
    snapshot: str
    linked: int | None = None
    written: int | None = None
    parked: str | None = None


def restore(
    ledger: Ledger,
    order: RestoreOrder,
    *,
    transport: Transport,
    source: Source,
    scratch: str,
    new_id: NewId,
    progress: Progress,
) -> Restored:
    """Restore the newest saved work of a workspace at a place, or adopt the root that this operation made before.

    `scratch` is a folder of ours for what is sent. Raises RestoreRefused (exit 3; files untouched), RestoreSuperseded
    and RestoreUnreachable (75), RestoreFailed (1), each with its report; FencedOut and StreamMoved (75) when another
    writer was faster.
    """
    folder = os.path.join(scratch, new_id("restore"))
    os.makedirs(folder, mode=0o700)
    program = PlaceProgram(transport, scratch=folder, progress=progress)

    def visit(record: WorkspaceRecord, operation: Operation) -> int | None:
        answer = program.obey(order_for("look", order, operation, record.operations))
        return answer.facts.get("inode") if answer.outcome == "adopted" else None

    try:
        for is_missing in (False, True):
            plan = plan_restore(ledger, order, visit=visit, new_id=new_id, is_missing=is_missing)
            crash_point("restore.planned")
            restoring = _Restoring(Recorder(ledger, plan.epoch), order, plan, program)
            restored = restoring.run(source, folder)
            if restored is not None:
                return restored
        raise UnlostBug("a root that is missing was to be kept")
    except Unreachable as error:
        raise RestoreUnreachable(_unreachable(ledger, order), why=error.message) from error
    finally:
        remove_scratch(folder)


@dataclass(frozen=True, kw_only=True)
class _Cargo:
    """What travels, and the branch that the new root is on."""

    bundle: Bundle
    branch: str | None


class _Restoring:
    """One restore under way."""

    def __init__(self, recorder: Recorder, order: RestoreOrder, plan: Plan, program: PlaceProgram) -> None:
        self._recorder = recorder
        self._order = order
        self._plan = plan
        self._program = program

    def run(self, source: Source, folder: str) -> Restored | None:
        """From the first look to the end; None for a root that was to stay as it is and does not stand."""
        operation = self._plan.operation
        if operation.kind == "prepare":
            prepared = self._obey("prepare")
            if prepared.outcome != "missing":
                return self._ended(prepared)
            # The newest work was saved right here, and the root went since: it is made as anywhere else.
            self._recorder.end(OperationEnded(operation=operation.id, outcome="refused", reason="missing"))
            return None
        looked = self._obey("look")
        crash_point("restore.looked")
        if looked.outcome == "adopted":
            return self._ended(looked)
        cargo, staged = self._stage(source, folder, for_git=self._suits_git(looked))
        if staged.outcome == "again":
            cargo, staged = self._stage(source, folder, for_git=False)
        crash_point("restore.staged")
        if staged.outcome == "adopted":
            return self._ended(staged)
        self._prove_again()
        crash_point("restore.proven")
        published = self._obey("publish", cargo)
        crash_point("restore.published")
        return self._ended(published, staged)

    def _suits_git(self, looked: Answer) -> bool:
        """Whether the place's git can write the root: it has one, and no old root has files to take over."""
        return bool(looked.facts.get("git")) and looked.facts.get("occupant") != "own" and not self._order.private

    def _stage(self, source: Source, folder: str, *, for_git: bool) -> tuple[_Cargo, Answer]:
        """Send what is to be restored, and let the place make the new root of it, beside the old one."""
        cargo = self._cargo(source, folder, for_git=for_git)
        self._program.send(self._order_for("stage", cargo), cargo.bundle)
        crash_point("restore.sent")
        return cargo, self._obey("stage", cargo)

    def _cargo(self, source: Source, folder: str, *, for_git: bool) -> _Cargo:
        """What travels. Raises RestoreRefused when the snapshot is not to be had whole."""
        try:
            snapshot = source.bring(self._plan.operation.snapshot or "")
            bundle = write_bundle(snapshot, source.layout, folder, private=self._order.private, for_git=for_git)
        except (SnapshotUnreadable, UsageError) as error:
            raise self._refused("missing_snapshot", stage="bundle") from error
        return _Cargo(bundle=bundle, branch=snapshot.surroundings.branch)

    def _prove_again(self) -> None:
        """Record that the root is staged: refused unless the record is as it was when the proof was given."""
        staged = OperationAdvanced(operation=self._plan.operation.id, state="staged")
        self._recorder.advance(staged, expect=self._plan.length)

    def _obey(self, mode: Mode, cargo: _Cargo | None = None) -> Answer:
        """Give an order. Raises what a refusal or failure on the place is to the caller."""
        answer = self._program.obey(self._order_for(mode, cargo))
        if answer.outcome not in ("refused", "failed"):
            return answer
        reason, stage = str(answer.facts.get("reason")), str(answer.facts.get("stage"))
        if answer.outcome == "refused":
            raise self._refused(reason, stage=stage, exit_code=answer.exit)
        report = self._plan.report(self._order, "refused", reason, step=_STEP, stage=stage, exit_code=answer.exit)
        parked = answer.facts.get("parked")
        raise RestoreFailed(report, hint=None if parked is None else f"the old root is whole beside it: {parked}")

    def _refused(self, reason: str, *, stage: str, exit_code: int | None = None) -> Exception:
        """Record a refusal and make the error of it."""
        if reason != "unreachable":
            ended = OperationEnded(operation=self._plan.operation.id, outcome="refused", reason=reason)
            self._recorder.end(ended)
        return failure(self._plan.report(self._order, "refused", reason, step=_STEP, stage=stage, exit_code=exit_code))

    def _ended(self, answer: Answer, staged: Answer | None = None) -> Restored:
        """Record the end, unless it was recorded before."""
        plan, operation = self._plan, self._plan.operation
        outcome: RestoreOutcome = "restored" if answer.outcome == "restored" else "adopted"
        if operation.outcome is None:
            inode = answer.facts.get("inode")
            self._recorder.end(OperationEnded(operation=operation.id, outcome="succeeded", inode=inode))
            if plan.save is not None and not plan.save.is_at(operation.place or "", operation.root_digest or ""):
                moved = OperationAdvanced(operation=plan.save.id, state="restored_elsewhere")
                self._recorder.advance(moved)
        return Restored(
            report=plan.report(self._order, outcome, None, replaced=bool(answer.facts.get("replaced"))),
            operation=operation.id,
            snapshot=operation.snapshot or "",
            linked=None if staged is None else staged.facts.get("linked"),
            written=None if staged is None else staged.facts.get("written"),
            parked=answer.facts.get("parked"),
        )

    def _order_for(self, mode: Mode, cargo: _Cargo | None = None) -> Order:
        plan = self._plan
        order = order_for(mode, self._order, plan.operation, plan.operations, interrupted=plan.interrupted)
        if cargo is None:
            return order
        bundle = cargo.bundle
        return replace(order, trees=bundle.trees, head=bundle.head, branch=cargo.branch, for_git=bundle.for_git)


def order_for(
    mode: Mode,
    order: RestoreOrder,
    operation: Operation,
    operations: Sequence[Operation],
    *,
    interrupted: tuple[str, ...] = (),
) -> Order:
    """What the place is told to do for a recorded operation."""
    return replace(
        order_on_record(mode, order.workspace, order.location, operation, operations),
        earlier=interrupted,
        replace_retired_root=operation.replaces,
        allow_empty_root=order.allow_empty,
        keep_parked=operation.keeps,
        object_format="sha256" if len(operation.snapshot or "") == 64 else "sha1",
    )


def _unreachable(ledger: Ledger, order: RestoreOrder) -> RestoreReport:
    newest = read_record(ledger, order.workspace).newest
    return RestoreReport(
        workspace=order.workspace,
        root=order.location.root,
        epoch=None if newest is None else newest.number,
        identity=None,
        outcome="refused",
        step=_STEP,
        stage="reach_place",
        reason="unreachable",
    )
