"""A world in memory for the engine: a work tree of texts, agents that are functions, a kill that is an exception.

What a killed supervisor leaves behind (tree, boundaries, what agents did) is in the world.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from engine.fake_handoffs import NONCE, FakeHandoffs
from engine.fake_maintenance import FakeMaintenance
from engine.fake_publishing import FakeCommits, FakeRemotes
from engine.fake_research import FakeResearch
from engine.fake_reviews import FakeReviews
from kit.hand_clock import HandClock

from unlost.agents.protocol import AgentEvent, Usage
from unlost.attempt.facts import AttemptEnd, Report, Returned
from unlost.engine.ports import AttemptOrder, BoundaryOrder, Captured, CheckOutcome, Hands
from unlost.facts.patterns import matches_any
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import AgentChoice, Check, Plan, Task
from unlost.unit.events import BoundaryTaken, RestoreDone
from unlost.unit.proof import ClaimCounts, LostPath, Proof

Files = dict[bytes, str]
Deed = Callable[[Files, int], Report | None]


class Killed(BaseException):
    """The supervisor dies here: nobody may catch it."""


@dataclass
class World:
    """What exists outside the ledger."""

    files: Files = field(default_factory=lambda: {b"a": "a0", b"b": "b0", b"c": "c0"})
    deeds: dict[str, Deed] = field(default_factory=dict)
    verdicts: dict[str, Callable[[Files], bool]] = field(default_factory=dict)
    trees: dict[str, Files] = field(default_factory=dict)
    boundaries: dict[str, tuple[BoundaryOrder, BoundaryTaken]] = field(default_factory=dict)
    orders: list[AttemptOrder] = field(default_factory=list)
    ended: dict[str, AttemptEnd] = field(default_factory=dict)
    checked: list[str] = field(default_factory=list)
    told: list[Any] = field(default_factory=list)
    running: str | None = None
    dies_while_running: bool = False
    clock: HandClock = field(default_factory=HandClock)
    research: FakeResearch = field(default_factory=FakeResearch)
    ends: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    commits: FakeCommits = field(default_factory=FakeCommits)
    remotes: FakeRemotes = field(default_factory=FakeRemotes)
    handoffs: FakeHandoffs = field(init=False)
    reviews: FakeReviews = field(init=False)
    maintenance: FakeMaintenance = field(init=False)

    def __post_init__(self) -> None:
        self.reviews = FakeReviews(trees=self.trees)
        self.maintenance = FakeMaintenance(read_by=self.reviews.run, settled_by=self.reviews.settle)
        self.handoffs = FakeHandoffs(files=self.files, trees=self.trees, head=dict(self.files))

    def hands(self, ledger: Ledger) -> Hands:
        """The hands of one supervisor."""
        return Hands(
            ledger=ledger,
            watch=_Watch(self),
            attempts=_Attempts(self),
            checks=_Checks(self),
            research=self.research,
            reviews=self.reviews,
            maintenance=self.maintenance,
            handoffs=self.handoffs,
            commits=self.commits,
            remotes=self.remotes,
            clock=self.clock,
            listener=_Listener(self),
            new_nonce=lambda: NONCE,
            redact=lambda text: text.replace("s3cret-value", "[REDACTED:test]"),
        )

    def attempts(self) -> list[str]:
        """The task of every agent that ran, in order."""
        return [order.task for order in self.orders]


@dataclass
class _Watch:
    world: World

    def capture(self, label: str) -> Captured:
        told = json.dumps({str(path): text for path, text in sorted(self.world.files.items())})
        tree = hashlib.sha1(told.encode(), usedforsecurity=False).hexdigest()
        self.world.trees[tree] = dict(self.world.files)
        return Captured(snapshot=f"s{tree}", tree=tree)

    def judge(self, captured: Captured, plan: Plan, task: Task | None) -> Proof:
        """Each path that a finished task changed is claimed; it is lost when its content from before is back."""
        now, lost, counts = self.world.trees[captured.tree], {}, {}
        for order, taken in self.world.boundaries.values():
            if order.kind != "after_task" or order.task is None:
                continue
            opened = next(had for _, had in self.world.boundaries.values() if had.n == order.opened_by)
            for path in self.changed(opened.tree, taken.tree):
                back = now.get(path) == self.world.trees[opened.tree].get(path)
                if back and not (task is not None and matches_any(task.reverts, path)):
                    lost[path] = LostPath(path=path, state="reverted", owner=order.task.id, boundary=taken.n)
                else:
                    lost.pop(path, None)
            counts[order.task.id] = ClaimCounts(standing=1)
        return Proof(lost=tuple(lost.values()), lost_count=len(lost), claims=counts)

    def record(self, order: BoundaryOrder) -> BoundaryTaken:
        if order.key not in self.world.boundaries:
            taken = BoundaryTaken(
                n=len(self.world.boundaries),
                kind=order.kind,
                task=order.task.id if order.task else None,
                attempt=order.attempt,
                snapshot=order.captured.snapshot,
                tree=order.captured.tree,
                proof=order.proof,
            )
            self.world.boundaries[order.key] = (order, taken)
        return self.world.boundaries[order.key][1]

    def changed(self, before: str, after: str) -> tuple[bytes, ...]:
        old, new = self.world.trees[before], self.world.trees[after]
        return tuple(sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path)))

    def restore(self, paths: tuple[bytes, ...]) -> RestoreDone:
        for path in paths:
            _, taken = [pair for pair in self.world.boundaries.values() if pair[0].kind == "after_task"][-1]
            self.world.files[path] = self.world.trees[taken.tree][path]
        return RestoreDone(restored=paths, failed=())


@dataclass
class _Attempts:
    world: World

    def run(self, order: AttemptOrder, listen: Callable[[AgentEvent], None], stop: Callable[[], bool]) -> AttemptEnd:
        assert self.world.running is None, "two agents in one workspace"
        self.world.running = order.identity
        self.world.orders.append(order)
        if self.world.dies_while_running:
            self.world.dies_while_running = False
            raise Killed
        report = self.world.deeds[order.task](self.world.files, order.number)
        end = AttemptEnd(
            attempt=order.identity,
            reason="exited",
            error=None,
            exit_code=0,
            returned=Returned(report=report),
            usage=Usage(tokens=10, cost_usd=0.1),
            turns=3,
            seconds=2.0,
        )
        end = replace(end, **self.world.ends.get((order.task, order.number), {}))
        self.world.ended[order.identity] = end
        self.world.running = None
        return end

    def settle(self, identity: str, agent: AgentChoice) -> AttemptEnd:
        self.world.running = None
        if identity in self.world.ended:
            return self.world.ended[identity]
        ran = any(order.identity == identity for order in self.world.orders)
        return AttemptEnd(attempt=identity, reason="supervisor_lost" if ran else "not_started", error="lost")


@dataclass
class _Checks:
    world: World

    def run(self, check: Check, identity: str, *, base: str, tree: str) -> CheckOutcome:
        self.world.checked.append(check.name)
        verdict = self.world.verdicts.get(check.name)
        passed = verdict is None or verdict(self.world.files)
        output = b"all fine" if passed else b"broken: s3cret-value"
        return CheckOutcome(passed=passed, exit_code=0 if passed else 1, timed_out=False, seconds=1.0, output=output)


@dataclass
class _Listener:
    world: World

    def recorded(self, payload: Any) -> None:
        self.world.told.append(payload)

    def heard(self, event: AgentEvent) -> None:
        self.world.told.append(event)

    def noted(self, text: str) -> None:
        self.world.told.append(text)


def writes(path: bytes, text: str) -> Deed:
    """An agent that writes one file."""

    def deed(files: Files, number: int) -> Report | None:
        files[path] = text
        return None

    return deed
