"""A unit that is told, not run: a small world answers each action with the events that an engine would append.

Nothing here touches a file, a process or a clock; trees are words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from unlost.attempt.facts import EndReason
from unlost.facts.words import ReportOutcome
from unlost.ledger.events import Event
from unlost.plan.facts import Budget, Check, GuardRules, Plan, ResumeRules, Task
from unlost.unit import actions, attempt_events, events, handoff_events
from unlost.unit.decide import decide
from unlost.unit.facts import FINISHED, UnitState
from unlost.unit.fold import fold
from unlost.unit.proof import ClaimCounts, LostPath, Proof
from unlost.unit.terms import Terms

FINE = Proof(claims={"person": ClaimCounts(standing=1)})
START = 1_000.0


def losing(*paths: bytes) -> Proof:
    """A proof in which these paths have fallen."""
    lost = tuple(LostPath(path=path, state="reverted", owner="one", boundary=2) for path in paths)
    return Proof(lost=lost, lost_count=len(lost), claims={"one": ClaimCounts(lost=len(lost))})


@dataclass
class Deed:
    """What one attempt does: how it ends, and the tree it leaves (None: as it was)."""

    tree: str | None = None
    reason: EndReason = "exited"
    failed: bool = False
    outcome: ReportOutcome | None = None
    reasoned: bool = True
    cost_usd: float | None = 0.5
    lost: Proof = FINE
    outside: tuple[bytes, ...] = ()


@dataclass
class Story:
    """One unit, its plan, and the world that answers."""

    plan: Plan
    deeds: dict[tuple[str, int], Deed] = field(default_factory=dict)
    verdicts: dict[str, list[bool]] = field(default_factory=dict)
    check_writes: dict[str, str] = field(default_factory=dict)
    redefined: dict[str, str] = field(default_factory=dict)
    proof: Proof = FINE
    outside: tuple[bytes, ...] = ()
    recoverable: dict[str, tuple[bytes, ...]] = field(default_factory=dict)
    held_back: tuple[bytes, ...] = ()
    tree: str = "t0"
    now: float = START
    said: list[Any] = field(default_factory=list)
    acted: list[actions.Action] = field(default_factory=list)
    known: UnitState | None = None

    def __post_init__(self) -> None:
        budget = self.plan.budget
        terms = Terms(
            deadline=START + budget.deadline,
            cost_usd=budget.cost_usd,
            tokens=budget.tokens,
            attempts=budget.attempts,
            turns=budget.turns,
        )
        self.add(
            events.Admitted(
                title=self.plan.title,
                digest="d1",
                requester="a person",
                workspace="w-1",
                place="here",
                root_digest="r",
                epoch=1,
                tasks=tuple(task.id for task in self.plan.tasks),
                terms=terms,
                boundary=self._boundary("admission", self.tree, FINE),
            )
        )

    def add(self, payload: Any) -> None:
        """Append one event, through its JSON form."""
        self.said.append(payload)
        new = events.EVENTS.new(payload, key=str(len(self.said)))
        event = Event(
            stream="u-1",
            sequence=len(self.said),
            kind=new.kind,
            key=new.key,
            version=new.version,
            at=self.now,
            facts=new.facts,
            body_digest=None,
            body_size=None,
            digest="",
        )
        self.known = fold([event], self.known)

    @property
    def state(self) -> UnitState:
        """The state of the unit so far."""
        assert self.known is not None
        return self.known

    def play(self, *, until: type | None = None) -> Story:
        """Carry out what is decided until the unit rests, or until (before) an action of a kind."""
        for _ in range(200):
            action = decide(self.state, self.plan, self.now)
            if isinstance(action, actions.Rest) or (until is not None and isinstance(action, until)):
                return self
            self.acted.append(action)
            _ANSWERS[type(action)](self, action)
        raise AssertionError("the unit never rests")

    def resume(self, *, terms: Terms | None = None, restore: bool = False) -> Story:
        """A person resumes, and the unit goes on."""
        self.add(
            events.Resumed(by="a person", epoch=self.state.epoch + 1, terms=terms or self.state.terms, restore=restore)
        )
        return self.play()

    def stop(self) -> Story:
        """A person stops the unit."""
        self.add(events.StopAsked(by="a person"))
        return self.play()

    def phase(self) -> str:
        """The phase of the unit."""
        return self.state.phase

    def reason(self) -> str:
        """Why it is in that phase."""
        return self.state.reason

    def kinds(self, kind: type) -> list[Any]:
        """What was said of one kind."""
        return [payload for payload in self.said if isinstance(payload, kind)]

    def attempts(self) -> list[str]:
        """The task of every attempt that was paid for."""
        return [attempt.task for attempt in self.kinds(attempt_events.AttemptIntended)]

    def boundaries(self) -> list[str]:
        """The kinds of all boundaries."""
        return [timed.taken.kind for timed in self.state.boundaries]

    def states(self) -> list[str]:
        """The states of all tasks."""
        return [task.state for task in self.state.tasks]

    def _boundary(
        self, kind: Any, tree: str, proof: Proof, task: str | None = None, attempt: int | None = None
    ) -> events.BoundaryTaken:
        number = len(self.known.boundaries) if self.known is not None else 0
        return events.BoundaryTaken(
            n=number, kind=kind, task=task, attempt=attempt, snapshot=f"s-{tree}", tree=tree, proof=proof
        )

    def take(self, action: actions.TakeBoundary) -> None:
        tree, proof = self.tree, self.proof
        if action.judged:
            judged = self._open().judged
            tree, proof = judged.tree, judged.proof
        self.add(self._boundary(action.kind, tree, proof, action.task, action.attempt))

    def run(self, action: actions.RunAttempt) -> None:
        self.intend(action)
        deed = self.deeds.get((action.task, action.number), Deed(tree=f"{self.tree}+{action.task}"))
        self.tree = deed.tree or self.tree
        self.proof, self.outside = deed.lost, deed.outside
        self.end(action.task, action.number, deed)

    def intend(self, action: actions.RunAttempt) -> None:
        self.add(
            attempt_events.AttemptIntended(
                task=action.task,
                attempt=action.number,
                revision=self.state.revision,
                epoch=self.state.epoch,
                identity=f"u-1.{action.task}.{action.number}",
                tree=self.tree,
                notes=(),
            )
        )

    def end(self, task: str, number: int, deed: Deed, *, settled: bool = False) -> None:
        self.add(
            attempt_events.AttemptEnded(
                task=task,
                attempt=number,
                reason=deed.reason,
                failed=deed.failed,
                exit_code=0,
                outcome=deed.outcome,
                reasoned=deed.reasoned,
                handoff=False,
                turns=1,
                tokens=100,
                cost_usd=deed.cost_usd,
                seconds=1.0,
                settled=settled,
            )
        )

    def settle(self, action: actions.SettleAttempt) -> None:
        self.end(action.task, action.number, Deed(reason="supervisor_lost", failed=True), settled=True)

    def judge(self, action: actions.JudgeAttempt) -> None:
        outside = tuple(path for path in self.outside if path not in self.state.accepted)
        self.add(
            attempt_events.AttemptJudged(
                task=action.task,
                attempt=action.number,
                round=action.round,
                snapshot=f"s-{self.tree}",
                tree=self.tree,
                proof=self.proof,
                outside=outside,
                outside_count=len(outside),
            )
        )

    def check(self, action: actions.RunCheck) -> None:
        name = action.check.name
        self.add(attempt_events.CheckIntended(name=name, task=action.task, attempt=action.attempt, round=action.round))
        left = self.verdicts.get(name, [True])
        passed = left.pop(0) if len(left) > 1 else left[0]
        self.tree = self.check_writes.get(name, self.tree)
        self.add(
            attempt_events.CheckEnded(
                name=name,
                task=action.task,
                attempt=action.attempt,
                round=action.round,
                passed=passed,
                exit_code=0 if passed else 1,
                timed_out=False,
                seconds=1.0,
                snapshot=f"s-{self.tree}",
                tree=self.tree,
                definitions=self.redefined.get(name),
                redefined=(b"tests/x",) if name in self.redefined else (),
            )
        )

    def close(self, action: actions.CloseAttempt) -> None:
        judged = self._open().judged
        kind = "after_task" if action.result in FINISHED else "attempt_end"
        self.add(self._boundary(kind, judged.tree, judged.proof, action.task, action.number))
        self.add(attempt_events.AttemptClosed(task=action.task, attempt=action.number, result=action.result))
        if action.result in FINISHED:
            self.add(attempt_events.TaskSettled(task=action.task, state=action.result, reason="", boundary=1))

    def fail(self, action: actions.FailTask) -> None:
        self.add(attempt_events.TaskSettled(task=action.task, state="failed", reason=action.reason, boundary=None))

    def restore(self, action: actions.RestoreLost) -> None:
        self.add(events.RestoreIntended(paths=action.paths, boundary=self.state.last_boundary.n))
        self.proof = FINE
        self.add(events.RestoreDone(restored=action.paths, failed=()))

    def verify(self, action: actions.VerifyHandoff) -> None:
        """The work that a tree lacks and that is kept is in `recoverable`."""
        where: dict[str, Any] = {"task": action.task, "attempt": action.attempt}
        if not [taken for taken in self.kinds(handoff_events.HandoffTaken) if taken.attempt == action.attempt]:
            self.add(handoff_events.HandoffTaken(**where, source="derived"))
        paths = self.recoverable.get(self.tree, ())
        found: dict[str, Any] = {"recoverable": paths, "recoverable_count": len(paths), "lost": (), "lost_count": 0}
        self.add(handoff_events.HandoffVerified(**where, tree=self.state.tree_now, **found))

    def bring_back(self, action: actions.BringBack) -> None:
        """All comes back but what is held back."""
        where: dict[str, Any] = {"task": action.task, "attempt": action.attempt}
        self.add(handoff_events.HandoffRestoreIntended(**where, paths=action.paths))
        back = tuple(path for path in action.paths if path not in self.held_back)
        if back:
            self.tree += "+back"
            self.recoverable[self.tree] = self.held_back
        self.add(handoff_events.HandoffRestored(**where, restored=back, left=self.held_back, kept="s-kept"))

    def ask(self, action: actions.AskPerson) -> None:
        left = None if self.state.terms.deadline is None else self.state.terms.deadline - self.now
        self.add(events.QuestionAsked(question="q-1", task=action.task, attempt=action.attempt, left=left))

    def block(self, action: actions.Block) -> None:
        self.add(events.Blocked(reason=action.reason, task=action.task, paths=action.paths, count=action.count))

    def pause(self, action: actions.Pause) -> None:
        self.add(events.Paused(reason=action.reason))

    def finish(self, action: actions.Finish) -> None:
        self.add(events.Ended(phase=action.phase, reason=action.reason))

    def _open(self) -> Any:
        attempt = self.state.open_attempt
        assert attempt is not None
        return attempt


def plan(
    *tasks: str,
    checks: tuple[str, ...] = (),
    task_checks: tuple[str, ...] = (),
    on_loss: Any = "block",
    resume: Any = "ask",
    **budget: Any,
) -> Plan:
    """A plan of tasks with these ids; `task_checks` are given to every task."""
    made = tuple(
        Task(
            id=name,
            text=f"Do {name}.",
            checks=tuple(Check(name=f"{name}/{check}", run=("x",)) for check in task_checks),
        )
        for name in tasks or ("one", "two", "three")
    )
    return Plan(
        title="A plan",
        goal="Do it.",
        tasks=made,
        checks=tuple(Check(name=name, run=("x",)) for name in checks),
        budget=replace(Budget(), **budget),
        guard=GuardRules(on_loss=on_loss),
        resume=ResumeRules(restore=resume),
    )


_ANSWERS: dict[type, Callable[[Story, Any], None]] = {
    actions.TakeBoundary: Story.take,
    actions.RunAttempt: Story.run,
    actions.SettleAttempt: Story.settle,
    actions.JudgeAttempt: Story.judge,
    actions.RunCheck: Story.check,
    actions.CloseAttempt: Story.close,
    actions.FailTask: Story.fail,
    actions.RestoreLost: Story.restore,
    actions.VerifyHandoff: Story.verify,
    actions.BringBack: Story.bring_back,
    actions.AskPerson: Story.ask,
    actions.Block: Story.block,
    actions.Pause: Story.pause,
    actions.Finish: Story.finish,
}
