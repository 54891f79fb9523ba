"""Maintenance in memory: a target that tests move, merges that come out as they say, repairs that are functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from unlost.agents.protocol import RateLimit, Usage
from unlost.attempt.facts import AttemptEnd, EndReason, Report, Returned
from unlost.engine.apart_ports import ApartOrder, Investigated, Listen, Stop
from unlost.engine.maintenance_ports import Repaired
from unlost.plan.facts import AgentChoice
from unlost.publish.difference import ChangedFile, Difference, difference_text
from unlost.publish.rebase import Conflict, Rebased


@dataclass
class FakeMaintenance:
    """`engine.maintenance_ports.Maintenance`; with `conflicts` a rebase stops there."""

    read_by: Callable[[ApartOrder, Listen, Stop], Investigated]
    settled_by: Callable[[str, AgentChoice, str], Investigated]
    conflicts: tuple[bytes, ...] = ()
    marked: tuple[bytes, ...] = ()
    touched: tuple[bytes, ...] | None = None
    report: Report | None = None
    error: str | None = None
    reason: EndReason = "exited"
    cost_usd: float | None = 0.4
    limit: RateLimit | None = None
    made: set[tuple[str, str]] = field(default_factory=set)
    contained: set[str] = field(default_factory=set)
    base: str | None = "b" * 40
    orders: list[ApartOrder] = field(default_factory=list)
    ended: dict[str, AttemptEnd] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    dies: BaseException | None = None
    merges: int = 0

    def left_at(self, head: str, onto: str, *, known: str | None) -> str | None:
        return self.base

    def contains(self, head: str, commit: str) -> bool:
        return commit in self.contained or (head, commit) in self.made

    def rebase(self, *, base: str, before: str, onto: str) -> Rebased | Conflict:
        self.merges += 1
        if self.conflicts:
            return Conflict(onto=onto, carried=0, tree="t-marked", paths=self.conflicts)
        return Rebased(commit=self._made(before, onto), tree="t-clean", carried=1)

    def resolve(self, *, base: str, before: str, conflict: Conflict, tree: str) -> str:
        return self._made(before, conflict.onto)

    def keep(self, unit: str, commit: str) -> None:
        self.kept[unit] = commit

    def difference(self, onto: str, tree: str) -> Difference:
        file = ChangedFile(path=b"a", mode_before="100644", mode_after="100644", before=b"a0\n", after=b"a1\n")
        return difference_text([file])

    def repair(self, order: ApartOrder, paths: tuple[bytes, ...], listen: Listen, stop: Stop) -> Repaired:
        self.orders.append(order)
        if self.dies is not None:
            dies, self.dies = self.dies, None
            raise dies
        end = AttemptEnd(
            attempt=order.identity,
            reason=self.reason,
            error=self.error,
            exit_code=0,
            returned=Returned(report=self.report),
            usage=Usage(tokens=5, cost_usd=self.cost_usd),
            turns=1,
            seconds=4.0,
            limit=self.limit,
        )
        self.ended[order.identity] = end
        return self._left(end)

    def settle_repair(self, identity: str, agent: AgentChoice, tree: str, paths: tuple[bytes, ...]) -> Repaired:
        if identity in self.ended:
            return self._left(self.ended[identity])
        ran = any(order.identity == identity for order in self.orders)
        reason: EndReason = "supervisor_lost" if ran else "not_started"
        return Repaired(end=AttemptEnd(attempt=identity, reason=reason, error="lost"), tree=None)

    def read(self, order: ApartOrder, listen: Listen, stop: Stop) -> Investigated:
        return self.read_by(order, listen, stop)

    def settle_reading(self, identity: str, agent: AgentChoice, tree: str) -> Investigated:
        return self.settled_by(identity, agent, tree)

    def _made(self, before: str, onto: str) -> str:
        commit = f"{onto[:20]}{before[:20]}"
        self.made.add((commit, onto))
        return commit

    def _left(self, end: AttemptEnd) -> Repaired:
        touched = self.conflicts if self.touched is None else self.touched
        return Repaired(end=end, tree="t-settled", touched=touched, marked=self.marked)
