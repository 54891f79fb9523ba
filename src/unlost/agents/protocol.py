"""What an agent is to unlost: how it is started, and how its talk becomes one stream of typed events.

An adapter does no input or output of its own. It says what to launch, turns each line of the agent's stdout into
events (and a reply on its stdin, for agents that converse), names the words of a cancel, and judges the end. So one
adapter object serves exactly one attempt, every adapter passes the same contract tests, and `attempt/` alone deals
with processes, caps and the stop ladder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Protocol

from unlost.agents.reset_times import ResetTime
from unlost.facts.records import dataclass, field

StepKind = Literal["research", "code", "review", "repair"]
"""What the attempt is for; agents see it as UNLOST_STEP."""

Permissions = Literal["edit", "all", "user"]


@dataclass(frozen=True, kw_only=True)
class AgentSettings:
    """The `[agent]` table of a plan as adapters need it (contracts.md).

    `command`: argv of the program, for adapters that start any program. `script`: absolute path of a scripted
    agent's steps. `guard`: the command line of our hook, for agents that take hooks for one run (None: no hook). What
    an adapter does not use it ignores; what it lacks it refuses with UsageError when opened.
    """

    command: tuple[str, ...] = ()
    script: str | None = None
    model: str | None = None
    permissions: Permissions = "edit"
    guard: str | None = None


@dataclass(frozen=True, kw_only=True)
class Errand:
    """What one attempt asks of an agent.

    `attempt` is unique for ever (it marks every process of the attempt); `number` counts the attempts of the task
    from 1. `prompt` is exact. `root` is the agent's folder, `outbox` the folder for what it hands back, `folder`
    private room for an adapter's own files; all absolute. `session` continues an earlier conversation, which had used
    `session_tokens` by then; with `requires_session` a new one would make no sense instead. `turns` and `cost_usd` are
    caps for agents that can be told (0: none); `attempt/` enforces them in any case, as far as the agent lets them be
    seen.
    """

    attempt: str
    number: int
    unit: str
    step: StepKind
    task: str
    prompt: bytes
    root: str
    outbox: str
    folder: str
    mcp_url: str | None = None
    session: str | None = None
    session_tokens: int = 0
    requires_session: bool = False
    turns: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Launch:
    """How to start the agent.

    `env` is added to what every agent gets. `stdin`: "prompt" hands the prompt over as a file, so that an agent that
    never reads it blocks nobody; "talk" opens a pipe, writes `opening` and then each reply. `cancel_signal` asks
    the agent's own process to end, for agents that take a signal for that; None when `Agent.cancel` has words. Of a
    line of its stdout that is longer than `longest_line` bytes the end is cut.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: Literal["prompt", "talk"] = "prompt"
    opening: bytes = b""
    cancel_signal: int | None = None
    longest_line: int = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Started:
    """The agent began; `session` can be handed to a later errand to continue the conversation."""

    session: str | None = None
    model: str | None = None


@dataclass(frozen=True, kw_only=True)
class Said:
    """Text for people; untrusted, not cleaned yet. `dropped` counts the bytes cut from a line that was too long."""

    text: str
    dropped: int = 0


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """The agent uses a tool; the number of distinct `call` ids is the number of turns."""

    call: str
    name: str
    detail: str = ""


@dataclass(frozen=True, kw_only=True)
class PermissionAsked:
    """The agent asked whether it may; the adapter has answered already, by the plan's `permissions`."""

    call: str
    name: str
    granted: bool


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What the attempt has used so far: totals, so that a line seen twice counts once. None: the agent never said.

    `tokens` are those read afresh and those written; what a provider read from its cache is not counted. An unknown
    price is not zero (decision 14).
    """

    tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, kw_only=True)
class RateLimit:
    """The provider takes no more for now.

    `resets_at` is when it does again, in seconds since 1970, `resets_in` how many seconds from the end of the attempt
    on, `resets_clock` the time of day after the end of the attempt; at most one is known.
    """

    resets_at: float | None = None
    resets_in: float | None = None
    resets_clock: ResetTime | None = None


@dataclass(frozen=True, kw_only=True)
class Ended:
    """The agent's own account of its end; `error` is None for "no error end". It proves nothing about the tree.

    `limit`: the error is that a provider limits the rate.
    """

    error: str | None = None
    limit: RateLimit | None = None


AgentEvent = Started | Said | ToolCall | PermissionAsked | Usage | Ended


@dataclass(frozen=True, kw_only=True)
class Heard:
    """What one line of the agent's stdout means: events in order, and bytes to write to its stdin.

    `hang_up`: there is nothing more to say to it, so its stdin ends behind the reply.
    """

    events: tuple[AgentEvent, ...] = ()
    reply: bytes = b""
    hang_up: bool = False


class Agent(Protocol):
    """One agent for one attempt. No method blocks, reads a file or raises for anything the agent may print.

    `variables` names what the agent gets of the person's environment beside the ordinary (PATH, HOME, …): the
    vendor's keys, addresses, folders and switches; a name that ends in `*` stands for all that begin so.
    `carries_on`: `Errand.session` continues a conversation.
    """

    variables: tuple[str, ...]
    carries_on: bool

    def launch(self, errand: Errand) -> Launch:
        """How to start it for this errand; called once, before anything runs."""

    def listen(self, line: bytes, dropped: int) -> Heard:
        """The meaning of one line of stdout, without its newline; `dropped` bytes of its end were cut."""

    def cancel(self) -> bytes:
        """Words on stdin that ask it to end by itself; empty when the launch names a signal, or nothing helps."""

    def conclude(self, exit_code: int | None) -> Ended:
        """The judgement of the end: what it said last, and its exit code (negative: a signal; None: unknown)."""
