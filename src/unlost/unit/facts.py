"""The state of a unit, as the fold of its events gives it."""

from __future__ import annotations

from unlost.attempt.facts import CAPS, NEVER_RAN, OURS
from unlost.facts.records import dataclass, field
from unlost.facts.words import Phase, TaskState
from unlost.plan.facts import Step
from unlost.unit.attempt_events import AttemptEnded, AttemptIntended, AttemptJudged, CheckEnded
from unlost.unit.commit import CommitRecord
from unlost.unit.events import Blocked, BoundaryTaken, Paused
from unlost.unit.handoff import HandoffRecord
from unlost.unit.lease import Spent
from unlost.unit.limit import LimitRecord
from unlost.unit.maintenance import MaintenanceRecord
from unlost.unit.origin import OriginRecord
from unlost.unit.proof import Proof
from unlost.unit.publish import PublishRecord
from unlost.unit.research import ResearchRecord
from unlost.unit.review import ReviewRecord
from unlost.unit.terms import AttemptResult, Terms

ENDS: frozenset[Phase] = frozenset({"done", "failed", "stopped", "expired"})
WAITS: frozenset[Phase] = frozenset({"parked", "blocked", "paused"})
SETTLED: frozenset[TaskState] = frozenset({"done", "no_change", "failed", "skipped"})
FINISHED: frozenset[TaskState] = frozenset({"done", "no_change"})


@dataclass(frozen=True, kw_only=True, slots=True)
class TimedBoundary:
    """A boundary and when it was taken."""

    at: float
    taken: BoundaryTaken


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckRecord:
    """A check that ran; `output` is the sequence of the event whose body holds its output."""

    ended: CheckEnded
    output: int

    def waits(self, redefined: frozenset[str]) -> bool:
        """Whether it passed by definitions that were changed and that nobody accepted."""
        return self.ended.passed and self.ended.definitions is not None and self.ended.definitions not in redefined


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptRecord:
    """One attempt so far. `prompt` is the sequence of the event whose body holds the exact prompt.

    `recorded`: a boundary of the newest judged tree was taken. `checks` ran on that tree, in their order.
    """

    intended: AttemptIntended
    prompt: int
    ended: AttemptEnded | None = None
    ended_at: int = 0
    judged: AttemptJudged | None = None
    recorded: bool = False
    checks: tuple[CheckRecord, ...] = ()
    result: AttemptResult | None = None
    handoff: HandoffRecord | None = None

    @property
    def task(self) -> str:
        """The id of its task."""
        return self.intended.task

    @property
    def number(self) -> int:
        """Its number within the task, from 1 over all revisions."""
        return self.intended.attempt

    @property
    def ours(self) -> bool:
        """Whether a stop, kill or crash of ours ended it, so that it says nothing about the agent."""
        return self.ended is not None and self.ended.reason in OURS

    @property
    def excused(self) -> bool:
        """Whether its end says nothing about the agent: ours was the cause, or a provider's limit."""
        return self.ours or (self.ended is not None and self.ended.limit is not None)

    @property
    def well(self) -> bool:
        """Whether the adapter reported no error end; at a cap that is so when the agent had reported `completed`."""
        if self.ended is None or self.ended.reason in OURS:
            return False
        if self.ended.reason in CAPS:
            return self.ended.outcome == "completed"
        return not self.ended.failed


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskRecord:
    """One task so far; `opened` is the boundary before its first attempt, from which its claims are made."""

    id: str
    state: TaskState = "waiting"
    reason: str = ""
    opened: BoundaryTaken | None = None
    attempts: tuple[AttemptRecord, ...] = ()

    @property
    def last(self) -> AttemptRecord | None:
        """The newest attempt."""
        return self.attempts[-1] if self.attempts else None

    def last_that_ran(self, revision: int) -> AttemptRecord | None:
        """The newest attempt of a revision in which an agent ran: one that never did hands nothing over."""
        for attempt in reversed(self.attempts):
            if attempt.intended.revision != revision:
                return None
            if attempt.ended is None or attempt.ended.reason not in NEVER_RAN:
                return attempt
        return None

    @property
    def settled(self) -> bool:
        """Whether nothing more happens to it in this revision."""
        return self.state in SETTLED


@dataclass(frozen=True, kw_only=True, slots=True)
class Parked:
    """A question that waits for a person; `left` is what the lease had left when it was asked.

    `research`: it is the missing decision of a blocked brief. At `expires_at` silence ends the unit; None: never.
    """

    question: str
    asked_at: float
    left: float | None
    body: int
    research: bool = False
    expires_at: float | None = None


Waiting = Blocked | Paused | Parked


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """An answered question, for the prompt of the next attempt; both texts are private bodies of these events."""

    id: str
    task: str
    research: bool
    question: int
    answer: int
    by: str


@dataclass(frozen=True, kw_only=True, slots=True)
class UnitState:
    """Everything that is known of a unit.

    `sequence` is the length of its stream and `plan` the sequence of the event whose body holds plan and note.
    `base_tree` is what stood before the unit (boundary 0), `tree` what was captured when this revision was admitted,
    `tree_now` the newest captured tree. `proof` is the newest one made; `fresh`: it was made since control last was
    elsewhere (with an agent, or away for a while). `restored` are the paths put back on the plan's word, restore by
    restore. `accepted` are paths outside the scope, `redefined` contents of changed check definitions, that a person
    accepted. `steps` is the recorded selection of the workflow, `contracts` the plan digest of every revision.
    """

    unit: str
    sequence: int
    admitted_at: float
    title: str
    digest: str
    requester: str
    workspace: str
    place: str
    root_digest: str
    epoch: int
    plan: int
    terms: Terms
    base_tree: str
    tree: str
    tree_now: str
    proof: Proof
    phase: Phase
    revision: int = 1
    steps: tuple[Step, ...] = ("code",)
    fresh_attempts: bool = False
    contracts: tuple[str, ...] = ()
    research: ResearchRecord | None = None
    origin: OriginRecord = field(default_factory=OriginRecord)
    commits: CommitRecord = field(default_factory=CommitRecord)
    publishing: PublishRecord = field(default_factory=PublishRecord)
    review: ReviewRecord | None = None
    maintenance: MaintenanceRecord = field(default_factory=MaintenanceRecord)
    limit: LimitRecord | None = None
    paused_tree: str | None = None
    reason: str = ""
    fresh: bool = True
    tasks: tuple[TaskRecord, ...] = ()
    boundaries: tuple[TimedBoundary, ...] = ()
    checks: tuple[CheckRecord, ...] = ()
    spent: Spent = field(default_factory=Spent)
    waiting: Waiting | None = None
    answered: tuple[Question, ...] = ()
    accepted: frozenset[bytes] = frozenset()
    redefined: frozenset[str] = frozenset()
    restored: tuple[tuple[bytes, ...], ...] = ()
    restoring: tuple[bytes, ...] | None = None
    restore_lost: bool = False
    resumed_at: int = 0
    resumes: int = 0
    stop_asked: bool = False

    @property
    def over(self) -> bool:
        """Whether the unit has ended."""
        return self.phase in ENDS

    @property
    def current(self) -> TaskRecord | None:
        """The first task that is not settled."""
        return next((task for task in self.tasks if not task.settled), None)

    @property
    def open_attempt(self) -> AttemptRecord | None:
        """The attempt that is not closed yet: it runs, or is to be judged, checked or judged again."""
        last = self.current.last if self.current is not None else None
        return last if last is not None and last.result is None else None

    @property
    def last_boundary(self) -> BoundaryTaken:
        """The newest boundary; there always is one."""
        return self.boundaries[-1].taken

    def task(self, task_id: str) -> TaskRecord:
        """The task of this id; raises KeyError for one that the unit does not have."""
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise KeyError(task_id)
