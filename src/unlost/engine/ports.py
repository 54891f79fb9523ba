"""What the engine needs from the world, as narrow protocols: `app/` fills them, tests fake them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from unlost.agents.protocol import AgentEvent, StepKind
from unlost.attempt.facts import AttemptEnd, Caps
from unlost.engine.maintenance_ports import Maintenance
from unlost.engine.publish_ports import Commits, Remotes
from unlost.engine.research_ports import Research
from unlost.engine.review_ports import Reviews
from unlost.facts.records import dataclass
from unlost.facts.words import BoundaryKind
from unlost.handoff.derive import Ended
from unlost.handoff.facts import Handoff
from unlost.handoff.origin import Origin
from unlost.handoff.report import LossReport
from unlost.handoff.restore import Brought
from unlost.host.clock import Clock
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import AgentChoice, Check, Plan, Task
from unlost.prompt.fence import NewNonce
from unlost.unit.events import BoundaryTaken, RestoreDone
from unlost.unit.proof import Proof


@dataclass(frozen=True, kw_only=True, slots=True)
class Captured:
    """The work tree at one moment, kept in unlost's own store."""

    snapshot: str
    tree: str


@dataclass(frozen=True, kw_only=True, slots=True)
class BoundaryOrder:
    """A boundary to record in the workspace's own record.

    `key` names it for ever: asked again, the same boundary comes back. `opened_by` is the number of the boundary
    that opened the task, for a kind that makes claims.
    """

    key: str
    kind: BoundaryKind
    unit: str
    plan: Plan
    captured: Captured
    proof: Proof
    task: Task | None = None
    attempt: int | None = None
    opened_by: int | None = None


class Watch(Protocol):
    """The workspace: captures, claims, boundaries, restores. Paths come in bytewise order."""

    def capture(self, label: str) -> Captured:
        """Capture the tree as it is now; unchanged, it is the one before. Raises CaptureFailed: nothing recorded."""

    def judge(self, captured: Captured, plan: Plan, task: Task | None) -> Proof:
        """Hold a captured tree against every claim, as the work of `task`."""

    def record(self, order: BoundaryOrder) -> BoundaryTaken:
        """Record a boundary in the workspace's stream and return it; the stored one when its key is known."""

    def changed(self, before: str, after: str) -> tuple[bytes, ...]:
        """The paths that differ between two captured trees."""

    def restore(self, paths: tuple[bytes, ...]) -> RestoreDone:
        """Put lost paths back by merge; the present is kept first. Asked again, it finds what is already back."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AttemptOrder:
    """One agent run: `identity` is unique for ever and names its processes, records and outbox.

    `earlier` are the identities of the same task's attempts before it, the oldest first: the newest one's conversation
    is carried on where the agent can.
    """

    identity: str
    unit: str
    task: str
    number: int
    prompt: bytes
    agent: AgentChoice
    caps: Caps
    earlier: tuple[str, ...] = ()
    step: StepKind = "code"


class Attempts(Protocol):
    """Runs agents, and finds out how runs ended whose supervisor died. Never two in one workspace."""

    def run(self, order: AttemptOrder, listen: Callable[[AgentEvent], None], stop: Callable[[], bool]) -> AttemptEnd:
        """Run one agent to its end. Raises TryLater when the workspace is held: then nothing was started."""

    def settle(self, identity: str, agent: AgentChoice) -> AttemptEnd:
        """How an attempt ended; nothing of it runs afterwards. Raises TryLater when that cannot be made so now."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckOutcome:
    """How a check ended; `output` is bounded.

    `definitions` names the contents of its definitions when they differ from the base's; `redefined` are the paths.
    """

    passed: bool
    exit_code: int
    timed_out: bool
    seconds: float
    output: bytes
    definitions: str | None = None
    redefined: tuple[bytes, ...] = ()


class Checks(Protocol):
    """Runs the checks of a plan."""

    def run(self, check: Check, identity: str, *, base: str, tree: str) -> CheckOutcome:
        """Run one check in the work tree, which holds `tree`; a protected one with its definitions from `base` too.

        What an earlier run of this identity left running is ended first.
        """


class Handoffs(Protocol):
    """What ended attempts hand over, held against the work tree and against every place that may keep their work."""

    def of_attempt(self, left: bytes | None, ended: Ended, *, opening: str, closing: str) -> Origin:
        """The handoff of an attempt: the file it left, else derived from the captured trees before and after it."""

    def verify(self, handoff: Handoff) -> LossReport:
        """What became of its work. Changes nothing."""

    def bring_back(self, handoff: Handoff) -> Brought:
        """Put back what can be; the present is kept first. Asked again, it finds what is already back."""

    def prompt(self, handoff: Handoff) -> str:
        """The compiled resume prompt over the tree as it is now, without a definition of done of its own."""


class Listener(Protocol):
    """Who wants to know what happens while it happens; it decides nothing."""

    def recorded(self, payload: Any) -> None:
        """An event of the unit was recorded (one of `unit.events`)."""

    def heard(self, event: AgentEvent) -> None:
        """The agent said or did something."""

    def noted(self, text: str) -> None:
        """Something beside the unit did not go well, in one sentence; the unit goes on."""


@dataclass(frozen=True, kw_only=True)
class Hands:
    """Everything that carries out a unit's actions. `redact` takes secrets out of prose before it is stored."""

    ledger: Ledger
    watch: Watch
    attempts: Attempts
    checks: Checks
    research: Research
    reviews: Reviews
    maintenance: Maintenance
    handoffs: Handoffs
    commits: Commits
    remotes: Remotes
    clock: Clock
    listener: Listener
    new_nonce: NewNonce
    redact: Callable[[str], str]
