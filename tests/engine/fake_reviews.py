"""Reviews in memory: readers that are functions of how often they were asked, an outbox that survives a kill."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from unlost.agents.protocol import AgentEvent, Usage
from unlost.attempt.facts import AttemptEnd, EndReason, Returned
from unlost.engine.apart_ports import ApartOrder, Investigated
from unlost.engine.review_ports import BranchWork
from unlost.plan.facts import AgentChoice
from unlost.publish.difference import ChangedFile, Difference, difference_text

Files = dict[bytes, str]


def finding(file: str, what: str = "It is wrong.", severity: str = "error") -> dict[str, Any]:
    """One finding as a reviewer hands it in."""
    return {"file": file, "lines": [1, 2], "severity": severity, "what": what, "why": "Because it is."}


def findings(*found: dict[str, Any]) -> dict[str, Any]:
    """A findings file."""
    return {"schema": "unlost.findings/1", "findings": list(found)}


@dataclass
class FakeReviews:
    """`engine.review_ports.Reviews`; `answers` are what the readers leave, in turn (bytes: as they stand)."""

    trees: dict[str, Files]
    answers: list[dict[str, Any] | bytes | None] = field(default_factory=list)
    theirs: tuple[bytes, ...] = ()
    work: BranchWork | None = None
    error: str | None = None
    reason: EndReason = "exited"
    cost_usd: float | None = 0.3
    discarded: tuple[bytes, ...] = ()
    orders: list[ApartOrder] = field(default_factory=list)
    ended: dict[str, AttemptEnd] = field(default_factory=dict)
    dies: BaseException | None = None

    def difference(self, before: str, after: str) -> Difference:
        old, new = self.trees[before], self.trees[after]
        changed = sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))
        return difference_text(_file(path, old.get(path), new.get(path)) for path in changed)

    def mine(self, snapshot: str) -> tuple[bytes, ...]:
        return self.theirs

    def branch(self, snapshot: str, remote: str) -> BranchWork | None:
        return self.work

    def run(self, order: ApartOrder, listen: Callable[[AgentEvent], None], stop: Callable[[], bool]) -> Investigated:
        self.orders.append(order)
        if self.dies is not None:
            dies, self.dies = self.dies, None
            raise dies
        left = self.answers[min(len(self.orders), len(self.answers)) - 1] if self.answers else findings()
        data = left if left is None or isinstance(left, bytes) else json.dumps(left).encode()
        end = AttemptEnd(
            attempt=order.identity,
            reason=self.reason,
            error=self.error,
            exit_code=0 if self.error is None else 1,
            returned=Returned(findings=data),
            usage=Usage(tokens=7, cost_usd=self.cost_usd),
            turns=2,
            seconds=3.0,
        )
        self.ended[order.identity] = end
        return Investigated(end=end, discarded=self.discarded)

    def settle(self, identity: str, agent: AgentChoice, tree: str) -> Investigated:
        if identity in self.ended:
            return Investigated(end=self.ended[identity])
        ran = any(order.identity == identity for order in self.orders)
        reason: EndReason = "supervisor_lost" if ran else "not_started"
        return Investigated(end=AttemptEnd(attempt=identity, reason=reason, error="lost"))


def _file(path: bytes, before: str | None, after: str | None) -> ChangedFile:
    return ChangedFile(
        path=path,
        mode_before=None if before is None else "100644",
        mode_after=None if after is None else "100644",
        before=None if before is None else before.encode(),
        after=None if after is None else after.encode(),
    )
