"""The events of a unit's stream, in the order in which they usually come.

All of a unit's state is a fold over these. Facts here are public: prose (plan, operator note, prompts, questions,
answers, reports, output of checks) is in the event's private body. Each effect that costs something, an attempt, a
check, a restore, has an intent before it and an outcome after it (decision 12).
"""

from __future__ import annotations

from typing import Final

from unlost.facts.records import dataclass
from unlost.facts.words import BoundaryKind, Phase
from unlost.ledger.payload import Declared, Vocabulary
from unlost.plan.facts import Step
from unlost.unit import (
    attempt_events,
    commit_events,
    handoff_events,
    limit_events,
    maintenance_events,
    origin_events,
    publish_events,
    research_events,
    review_events,
)
from unlost.unit.proof import Proof
from unlost.unit.terms import BlockReason, PauseReason, RevisionCause, Terms


@dataclass(frozen=True, kw_only=True, slots=True)
class BoundaryTaken:
    """A boundary of this unit; `task` and `attempt` say between whom control changed hands."""

    n: int
    kind: BoundaryKind
    task: str | None
    attempt: int | None
    snapshot: str
    tree: str
    proof: Proof


@dataclass(frozen=True, kw_only=True, slots=True)
class Admitted:
    """The unit exists. Body: plan and operator note. `boundary` is number 0 of the unit: what stood before it.

    `steps` is the selection that every replay follows (R.27); a unit from before there was one only codes (R.28).
    `fresh_attempts`: every attempt begins a conversation of its own.
    """

    title: str
    digest: str
    requester: str
    workspace: str
    place: str
    root_digest: str
    epoch: int
    tasks: tuple[str, ...]
    terms: Terms
    boundary: BoundaryTaken
    steps: tuple[Step, ...] = ("code",)
    fresh_attempts: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class RevisionOpened:
    """A person put another plan, or the same one again, in force. Body: plan and operator note.

    `kept` are the done tasks that stay done, `paused_tree` is the tree that its first attempt must find (N.26).
    `steps` None: the selection stays as it is.
    """

    revision: int
    cause: RevisionCause
    title: str
    digest: str
    previous_digest: str
    by: str
    tasks: tuple[str, ...]
    kept: tuple[str, ...]
    terms: Terms
    paused_tree: str
    snapshot: str
    steps: tuple[Step, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class RestoreIntended:
    """Lost paths are about to be put back by merge, because the plan or the person said so beforehand."""

    paths: tuple[bytes, ...]
    boundary: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RestoreDone:
    """What a restore came to."""

    restored: tuple[bytes, ...]
    failed: tuple[bytes, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Blocked:
    """The unit waits for a person; `paths` names at most `MAXIMUM_NAMED` of `count`.

    `refusals`: why coding may not start on the research, in the words of `research.consumption`; `sources`: the ids
    of the sources that say so.
    """

    reason: BlockReason
    task: str | None
    paths: tuple[bytes, ...]
    count: int
    refusals: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Paused:
    """The unit waits for a larger budget, or for a person's word that it may go on without a known price."""

    reason: PauseReason


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionAsked:
    """The unit is parked until a person answers. Body: the question.

    `task` and `attempt` are None when research asks. What is left of the lease is recorded (R.17): seconds, dollars,
    tokens (None: no cap), turns of an attempt, attempts of a task. After `timeout` seconds silence ends the unit
    (R.14); None: never.
    """

    question: str
    task: str | None
    attempt: int | None
    left: float | None
    cost_left: float | None = None
    tokens_left: int | None = None
    turns: int = 0
    attempts: int = 0
    timeout: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionAnswered:
    """The first authorised answer. Body: its text. What was left of the lease when it was asked is left again."""

    question: str
    by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeAccepted:
    """A person said that these paths outside the scope are meant so."""

    paths: tuple[bytes, ...]
    by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckAccepted:
    """A person said that a check may be passed by these changed definitions of it, and by no later ones."""

    name: str
    definitions: str
    by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeAccepted:
    """A person took the present tree as the one that a revision starts from (N.26)."""

    tree: str
    by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Resumed:
    """A supervisor took the unit over and goes on under a higher epoch."""

    by: str
    epoch: int
    terms: Terms
    restore: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class StopAsked:
    """A person wants the unit to end where it is."""

    by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """The unit is over."""

    phase: Phase
    reason: str


EVENTS: Final = Vocabulary(
    {
        "unit.admitted": Declared(payload=Admitted),
        "revision.opened": Declared(payload=RevisionOpened),
        "boundary.taken": Declared(payload=BoundaryTaken),
        **research_events.KINDS,
        **attempt_events.KINDS,
        **handoff_events.KINDS,
        **origin_events.KINDS,
        **commit_events.KINDS,
        **publish_events.KINDS,
        **review_events.KINDS,
        **maintenance_events.KINDS,
        **limit_events.KINDS,
        "restore.intended": Declared(payload=RestoreIntended),
        "restore.done": Declared(payload=RestoreDone),
        "unit.blocked": Declared(payload=Blocked),
        "unit.paused": Declared(payload=Paused),
        "question.asked": Declared(payload=QuestionAsked),
        "question.answered": Declared(payload=QuestionAnswered),
        "scope.accepted": Declared(payload=ScopeAccepted),
        "check.accepted": Declared(payload=CheckAccepted),
        "tree.accepted": Declared(payload=TreeAccepted),
        "unit.resumed": Declared(payload=Resumed),
        "unit.stop_asked": Declared(payload=StopAsked),
        "unit.ended": Declared(payload=Ended),
    }
)
