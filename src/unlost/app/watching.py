"""The workspace as the engine watches it: captures, proofs and boundaries, over what plain mode stands on too."""

from __future__ import annotations

from dataclasses import dataclass, replace

from unlost.app.proving import counts_by_owner, proof_of, unit_rules
from unlost.engine.ports import BoundaryOrder, Captured
from unlost.facts.trees import changed_paths
from unlost.plain.boundaries import Boundaries
from unlost.plain.facts import Order
from unlost.plan.facts import Plan, Task
from unlost.unit.events import BoundaryTaken, RestoreDone
from unlost.unit.proof import Proof


@dataclass(frozen=True, kw_only=True)
class WorkspaceWatch:
    """`engine.ports.Watch` over the boundaries of a workspace."""

    boundaries: Boundaries

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
        """Put lost paths back by merge (see `Watch.restore`)."""
        raise NotImplementedError
