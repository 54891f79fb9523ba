"""Research in memory: a HEAD that tests move, researchers that are functions, an outbox that survives a kill."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from unlost.agents.protocol import AgentEvent, Usage
from unlost.attempt.facts import AttemptEnd, EndReason, Returned
from unlost.engine.apart_ports import ApartOrder, Investigated
from unlost.engine.research_ports import Standpoint
from unlost.plan.facts import AgentChoice
from unlost.research.sources import Origin, SourceState

COMMIT = "a" * 40
READY: dict[str, Any] = {
    "goal": "Drop the legacy parser",
    "commit": COMMIT,
    "complexity": "simple",
    "readiness": "ready",
    "evidence": [{"claim": "three call sites", "source": "s1"}],
    "sources": [{"id": "s1", "kind": "file", "ref": "a"}, {"id": "s2", "kind": "url", "ref": "https://x.test"}],
    "unknowns": ["who else imports it"],
    "approach": ["swap the call sites"],
    "verification": ["run the suite"],
}
BLOCKED: dict[str, Any] = {
    **{key: READY[key] for key in ("goal", "commit", "complexity", "evidence", "sources")},
    "readiness": "blocked",
    "blocked_reason": "Is the 1.x format still to be read?",
}


@dataclass
class FakeResearch:
    """`engine.research_ports.Research`; `brief` is what the researcher leaves (None: nothing, bytes: as they stand)."""

    brief: dict[str, Any] | bytes | None = None
    commit: str | None = COMMIT
    branch: str | None = "refs/heads/main"
    instance: str = "l-1"
    repository: str = "r" * 64
    error: str | None = None
    reason: EndReason = "exited"
    cost_usd: float | None = 0.2
    seconds: float = 5.0
    discarded: tuple[bytes, ...] = ()
    states: dict[str, SourceState] = field(default_factory=dict)
    heads_of: dict[str, str] = field(default_factory=dict)
    orders: list[ApartOrder] = field(default_factory=list)
    ended: dict[str, AttemptEnd] = field(default_factory=dict)
    dies: BaseException | None = None
    meanwhile: Callable[[], None] = field(default=lambda: None)

    def standpoint(self, snapshot: str | None = None) -> Standpoint:
        tree = "" if snapshot is None else "t-head"
        return Standpoint(
            instance=self.instance, repository=self.repository, commit=self.commit, branch=self.branch, tree=tree
        )

    def run(self, order: ApartOrder, listen: Callable[[AgentEvent], None], stop: Callable[[], bool]) -> Investigated:
        self.orders.append(order)
        if self.dies is not None:
            dies, self.dies = self.dies, None
            raise dies
        self.meanwhile()
        end = AttemptEnd(
            attempt=order.identity,
            reason=self.reason,
            error=self.error,
            exit_code=0 if self.error is None else 1,
            returned=Returned(brief=self.left()),
            usage=Usage(tokens=10, cost_usd=self.cost_usd),
            turns=4,
            seconds=self.seconds,
        )
        self.ended[order.identity] = end
        return Investigated(end=end, discarded=self.discarded)

    def settle(self, identity: str, agent: AgentChoice, tree: str) -> Investigated:
        if identity in self.ended:
            return Investigated(end=self.ended[identity])
        ran = any(order.identity == identity for order in self.orders)
        reason: EndReason = "supervisor_lost" if ran else "not_started"
        return Investigated(end=AttemptEnd(attempt=identity, reason=reason, error="lost"))

    def heads(self, snapshots: Iterable[str], branch: str | None) -> frozenset[str]:
        return frozenset(self.heads_of[snapshot] for snapshot in snapshots if snapshot in self.heads_of)

    def sources(self, origins: Iterable[Origin], tree: str) -> Mapping[str, SourceState]:
        return {origin.id: self.states.get(origin.ref, "known") for origin in origins}

    def left(self) -> bytes | None:
        """The bytes that a researcher puts into its outbox."""
        if self.brief is None or isinstance(self.brief, bytes):
            return self.brief
        return json.dumps(self.brief).encode()
