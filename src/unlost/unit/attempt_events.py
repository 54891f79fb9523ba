"""The events of a task being carried out: attempts, what they left, the checks on it, what it came to."""

from __future__ import annotations

from typing import Final

from unlost.attempt.facts import EndReason
from unlost.facts.records import dataclass
from unlost.facts.words import ReportOutcome, TaskState
from unlost.handoff.facts import HandoffSource
from unlost.ledger.payload import Declared
from unlost.publish.facts import WriterPointer
from unlost.unit.limit import RateLimited
from unlost.unit.proof import Proof
from unlost.unit.terms import AttemptResult


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptIntended:
    """An agent is about to be started. Body: the exact prompt bytes. `tree` is what it will find.

    `brief` is the digest of the research that it was given, `handoff` where the handoff came from that it was given.
    `writer` is its pointer in a unit that has a producer (R.52).
    """

    task: str
    attempt: int
    revision: int
    epoch: int
    identity: str
    tree: str
    notes: tuple[str, ...]
    brief: str | None = None
    handoff: HandoffSource | None = None
    writer: WriterPointer | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RetainedWork:
    """The retained-work note was part of the prompt (N.24): paths eligible, listed, and out of scope."""

    task: str
    attempt: int
    given: bool
    files: int
    listed: int
    excluded: int


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptEnded:
    """How the agent's run ended, and what it used. Body: report, handoff, error texts, as `AttemptRemains`.

    `settled`: found out afterwards from evidence, because the supervisor that started it died.
    """

    task: str
    attempt: int
    reason: EndReason
    failed: bool
    exit_code: int | None
    outcome: ReportOutcome | None
    reasoned: bool
    handoff: bool
    turns: int
    tokens: int | None
    cost_usd: float | None
    seconds: float
    settled: bool
    limit: RateLimited | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptJudged:
    """The tree that an ended attempt left, captured and held against every claim and the scope.

    `outside` are the paths it changed outside the scope. A later `round` judges the same attempt again after a person
    restored, undid or accepted.
    """

    task: str
    attempt: int
    round: int
    snapshot: str
    tree: str
    proof: Proof
    outside: tuple[bytes, ...]
    outside_count: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckIntended:
    """A check is about to run: one of a task (after an attempt) or, with `task` None, one of the plan."""

    name: str
    task: str | None
    attempt: int | None
    round: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckEnded:
    """How a check ended. Body: its bounded output. `tree` is what it left; what changed is credited to it.

    `definitions` names the contents of its changed definitions: no pass until a person accepts exactly these (N.R7).
    `redefined` are their paths.
    """

    name: str
    task: str | None
    attempt: int | None
    round: int
    passed: bool
    exit_code: int
    timed_out: bool
    seconds: float
    snapshot: str
    tree: str
    definitions: str | None = None
    redefined: tuple[bytes, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptClosed:
    """What an attempt came to, once judged and checked."""

    task: str
    attempt: int
    result: AttemptResult


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskSettled:
    """A task is over in this revision; `boundary` closed it, where there is one."""

    task: str
    state: TaskState
    reason: str
    boundary: int | None


KINDS: Final = {
    "attempt.intended": Declared(payload=AttemptIntended),
    "attempt.retained_work": Declared(payload=RetainedWork),
    "attempt.ended": Declared(payload=AttemptEnded),
    "attempt.judged": Declared(payload=AttemptJudged),
    "check.intended": Declared(payload=CheckIntended),
    "check.ended": Declared(payload=CheckEnded),
    "attempt.closed": Declared(payload=AttemptClosed),
    "task.settled": Declared(payload=TaskSettled),
}
