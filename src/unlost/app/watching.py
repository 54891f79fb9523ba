"""The workspace as the engine watches it: captures, proofs and boundaries, over what plain mode stands on too."""

from __future__ import annotations

from unlost.app.opening import Found, Place, open_place
from unlost.app.proving import counts_by_owner, proof_of, unit_rules
from unlost.engine.ports import BoundaryOrder, Captured
from unlost.facts.records import dataclass, replace
from unlost.facts.trees import changed_paths
from unlost.host.clock import Clock
from unlost.host.ids import new_id
from unlost.ledger.protocol import Ledger
from unlost.plain.boundaries import Boundaries
from unlost.plain.facts import Order
from unlost.plain.losses import LossTeller
from unlost.plain.report import Document
from unlost.plain.restore import Putting
from unlost.plain.wishes import wish_for_losses, with_merges
from unlost.plan.facts import Plan, Task
from unlost.settings import Settings
from unlost.snapshot.archive import Archive
from unlost.unit.events import BoundaryTaken, RestoreDone
from unlost.unit.proof import Proof


@dataclass(frozen=True, kw_only=True)
class WorkspaceWatch:
    """`engine.ports.Watch` over the boundaries of a workspace."""

    boundaries: Boundaries
    putting: Putting

    def capture(self, label: str) -> Captured:
        """Capture the tree as it is now (see `Watch.capture`)."""
        snapshot = self.boundaries.archive.capture(kind="boundary", label=label)
        return Captured(snapshot=snapshot.id, tree=snapshot.tree)

    def judge(self, captured: Captured, plan: Plan, task: Task | None) -> Proof:
        """Hold a captured tree against every claim (see `Watch.judge`)."""
        with self.boundaries.looking() as looking:
            snapshot = self.boundaries.snapshot(captured.snapshot)
            proven = self.boundaries.prove(snapshot, looking, unit_rules(plan, task))
        return proof_of(proven.verdict, proven.claims.by_path.values())

    def record(self, order: BoundaryOrder) -> BoundaryTaken:
        """Record a boundary (see `Watch.record`); its proof counts the claims that it makes, too."""
        taken = self.boundaries.take(
            self.boundaries.snapshot(order.captured.snapshot),
            Order(
                kind=order.kind,
                key=order.key,
                label=order.unit,
                unit=order.unit,
                task=None if order.task is None else order.task.id,
                attempt=None if order.attempt is None else str(order.attempt),
                opened_by=order.opened_by,
            ),
            unit_rules(order.plan, order.task, order.attempt),
        )
        findings = () if taken.proven is None else taken.proven.verdict.findings
        counts = counts_by_owner(taken.claims.by_path.values(), findings)
        return BoundaryTaken(
            n=taken.boundary.number,
            kind=order.kind,
            task=None if order.task is None else order.task.id,
            attempt=order.attempt,
            snapshot=order.captured.snapshot,
            tree=order.captured.tree,
            proof=replace(order.proof, claims=counts),
        )

    def changed(self, before: str, after: str) -> tuple[bytes, ...]:
        """The paths that differ between two captured trees."""
        return changed_paths(self.boundaries.changed(before, after))

    def restore(self, paths: tuple[bytes, ...]) -> RestoreDone:
        """Put lost paths back, later lines kept where both merge (see `Watch.restore`).

        What does not merge is left as it is and comes back as failed; the unit then blocks on it.
        """
        kept = self.putting.keep("before a unit's restore", root_is_there=True)
        with self.boundaries.looking() as looking:
            proven = self.boundaries.prove(kept, looking)
        wishes, conflicts = with_merges(wish_for_losses(proven, paths), proven, self.boundaries.trees)
        done = self.putting.put(wishes, proven, "restored", conflicts=conflicts)
        return RestoreDone(
            restored=(*done.restored, *done.merged, *done.removed),
            failed=tuple(failure.path for failure in done.failed),
        )

    def losses(self, plan: Plan) -> list[Document]:
        """Every open loss as `check` tells it, held against the newest boundary's own snapshot."""
        last = self.boundaries.claims().last
        if last is None:
            return []
        with self.boundaries.looking() as looking:
            proven = self.boundaries.prove(self.boundaries.snapshot(last.snapshot), looking, unit_rules(plan, None))
            teller = LossTeller(
                claims=proven.claims, reader=self.boundaries.trees, looking=looking, before=proven.before
            )
            return teller.losses(proven.verdict.losses)


@dataclass(frozen=True, kw_only=True)
class Workplace:
    """A registered workspace as a supervisor has it; close it when done."""

    place: Place
    watch: WorkspaceWatch

    @property
    def workspace(self) -> str:
        """Its id."""
        return self.place.identity.workspace

    @property
    def root(self) -> str:
        """The work tree."""
        return self.place.identity.root

    @property
    def folder(self) -> str:
        """Its own folder in the state home."""
        return self.place.folder

    @property
    def archive(self) -> Archive:
        """Its snapshots."""
        return self.place.boundaries.archive

    def close(self) -> None:
        """Let go of processes and descriptors."""
        self.place.close()


def open_workplace(
    found: Found, settings: Settings, ledger: Ledger, clock: Clock, *, admitting: bool = False
) -> Workplace:
    """Open a workspace for a supervisor, an interrupted restore finished first (see `open_place`)."""
    # A unit says of each of its boundaries whose it is: nobody has to look who runs.
    place = open_place(found, settings, ledger, clock, running=lambda: None, say=lambda _: None, admitting=admitting)
    place.settle_restores()
    putting = Putting(boundaries=place.boundaries, journals=place.journals, new_id=new_id)
    return Workplace(place=place, watch=WorkspaceWatch(boundaries=place.boundaries, putting=putting))
