"""The facts of an attempt: what is asked for, what it may use, how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, Protocol

from unlost.agents.protocol import Agent, AgentEvent, Errand, RateLimit, Usage
from unlost.attempt.sandbox import Walls
from unlost.facts.records import dataclass, field
from unlost.facts.words import ReportOutcome

EndReason = Literal[
    "exited",  # by itself, whatever its exit code
    "turns",
    "tokens",
    "cost",
    "idle",
    "wall_clock",
    "stopped",  # a person or the engine asked for it
    "supervisor_lost",  # our process died; the shim ended the agent
    "shim_lost",  # the shim was killed; its keeper or a later sweep ended the agent
    "not_started",  # no agent ever ran
    "busy",  # another attempt held the workspace; no agent ever ran
]
CAPS: Final[frozenset[EndReason]] = frozenset({"turns", "tokens", "cost", "idle", "wall_clock"})
NEVER_RAN: Final[frozenset[EndReason]] = frozenset({"not_started", "busy"})
OURS: Final[frozenset[EndReason]] = NEVER_RAN | {"stopped", "supervisor_lost", "shim_lost"}


@dataclass(frozen=True, kw_only=True)
class Caps:
    """What an attempt may use; zero means no cap. Times in seconds.

    `grace` is what an agent gets at a cap to hand over, `cancel` what it gets at any other stop, `terminate` what
    its processes get between SIGTERM and SIGKILL, `linger` what leftovers get after the agent has left.
    """

    turns: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    idle: float = 600.0
    wall_clock: float = 0.0
    grace: float = 30.0
    cancel: float = 5.0
    terminate: float = 5.0
    linger: float = 1.0


@dataclass(frozen=True, kw_only=True)
class AttemptRequest:
    """One agent run.

    `workspace_folder` is the workspace's folder in the state home: it holds the writer lock and `attempts/ID/`.
    `environment` is what the agent gets beside the variables of contracts.md: already built from nothing.
    The errand's `outbox` and `folder` are those that `prepare.folders` names. `walls`: what it is run behind.
    """

    workspace_folder: str
    errand: Errand
    agent: Agent
    environment: Mapping[str, str]
    caps: Caps = field(default_factory=Caps)
    walls: Walls | None = None


@dataclass(frozen=True, kw_only=True)
class Report:
    """`report.json`, or `report_task`: what the agent says about its task; a claim, never a proof."""

    outcome: ReportOutcome
    reason: str
    paths: tuple[bytes, ...]


@dataclass(frozen=True, kw_only=True)
class Returned:
    """What the agent left in its outbox. `problems` names each file that was refused, and why."""

    report: Report | None = None
    handoff: bytes | None = None
    brief: bytes | None = None
    findings: bytes | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AttemptEnd:
    """How an attempt ended; when one of these exists, nothing of the attempt runs any more.

    `error` is None for "no error end" (design.md, section 3). `exit_code` is negative for a signal and None when
    nobody saw it. `struck` counts the processes that had to be signalled. `stderr` is the tail of what the agent
    wrote there. `interrupted`: the person pressed Ctrl-C. `limit`: it left because a provider limits the rate.
    """

    attempt: str
    reason: EndReason
    error: str | None
    exit_code: int | None = None
    returned: Returned = field(default_factory=Returned)
    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    seconds: float = 0.0
    struck: int = 0
    session: str | None = None
    stderr: bytes = b""
    interrupted: bool = False
    limit: RateLimit | None = None

    @property
    def killed_by_us(self) -> bool:
        """Whether the cause was ours (a stop, a crash), so that it says nothing about the agent (G.20)."""
        return self.reason in OURS

    @property
    def at_cap(self) -> bool:
        """Whether one of the plan's caps ended it."""
        return self.reason in CAPS


class Observer(Protocol):
    """Who watches an attempt while it runs; called from the thread that runs it."""

    def event(self, event: AgentEvent) -> None:
        """The agent said or did something."""

    def pulse(self) -> bool:
        """Called at least twice a second; True asks for the stop ladder (reason `stopped`)."""
