"""What the shim and its supervisor tell each other, and what both write to disk.

Named tuples, not dataclasses: importing those costs more than the whole start of a shim.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

MARK: Final = "UNLOST_ATTEMPT"
"""The variable that every process of an attempt is born with."""

TALK: Final = "-"
"""In place of a file for the agent's stdin: a pipe that the supervisor writes to by command."""


class Process(NamedTuple):
    """One row of the process table; `start` in the kernel's own units, comparable on one boot only."""

    parent: int
    start: int
    ended: bool


class Identity(NamedTuple):
    """Exactly one process for ever: a pid alone is reused.

    `boot` names the boot, `space` the pid namespace: two containers that share a state home share the first only.
    """

    pid: int
    start: int
    boot: str
    space: str


class Patience(NamedTuple):
    """Seconds for each step of the stop ladder; `linger` is for what an agent that left by itself leaves behind."""

    grace: float
    cancel: float
    terminate: float
    linger: float


class Spec(NamedTuple):
    """All that a shim must know; sent as its first line of stdin, never as arguments that others could read.

    `folder` is the workspace's folder in the state home. `stdin` is a file or TALK. `idle` and `wall_clock` are
    seconds, zero for no cap. `cancel_signal` asks the agent's own process to end (0: none), `cancel_words` do on its
    stdin. `is_wrapped`: the agent is the child of what is started, which passes no signal on. `adopts` is False to do
    without a subreaper, as a system without one has to.
    """

    attempt: str
    unit: str
    task: str
    folder: str
    argv: tuple[str, ...]
    cwd: str
    env: dict[str, str]
    stdin: str
    supervisor: Identity | None
    patience: Patience
    idle: float = 0.0
    wall_clock: float = 0.0
    cancel_signal: int = 0
    cancel_words: str = ""
    is_wrapped: bool = False
    adopts: bool = True


class Holder(NamedTuple):
    """Who holds a workspace's writer lock; written beside it for a later supervisor."""

    attempt: str
    unit: str
    task: str
    shim: Identity
    agent: Identity | None
    supervisor: Identity | None


class Ending(NamedTuple):
    """How an attempt ended, on disk; while this file is missing, the attempt is not settled.

    `by` is shim, keeper, sweep or supervisor; `reason` one of `attempt.facts.EndReason`. `agent_code` is negative for
    a signal, None when nobody saw it; `struck` counts processes that were signalled.
    """

    attempt: str
    by: str
    reason: str
    agent_code: int | None = None
    struck: int = 0
    seconds: float = 0.0
    error: str | None = None


def identity_from(value: Any) -> Identity | None:
    """The identity that `as_json` wrote, or None for anything else."""
    try:
        return Identity(int(value["pid"]), int(value["start"]), str(value["boot"]), str(value["space"]))
    except (TypeError, KeyError, ValueError):
        return None


def holder_from(value: Any) -> Holder | None:
    """The holder that `as_json` wrote, or None for anything else."""
    try:
        shim = identity_from(value["shim"])
        names = str(value["attempt"]), str(value["unit"]), str(value["task"])
        agent, supervisor = identity_from(value["agent"]), identity_from(value["supervisor"])
    except (TypeError, KeyError):
        return None
    return Holder(*names, shim, agent, supervisor) if shim else None


def ending_from(value: Any) -> Ending | None:
    """The ending that `as_json` wrote, or None for anything else (an agent may have scribbled over it)."""
    try:
        code, error = value["agent_code"], value["error"]
        return Ending(
            attempt=str(value["attempt"]),
            by=str(value["by"]),
            reason=str(value["reason"]),
            agent_code=None if code is None else int(code),
            struck=int(value["struck"]),
            seconds=float(value["seconds"]),
            error=None if error is None else str(error),
        )
    except (TypeError, KeyError, ValueError):
        return None


def spec_from(value: Any) -> Spec:
    """The spec that a supervisor of this same version sent; raises TypeError or KeyError for anything else."""
    changed = {
        "argv": tuple(value["argv"]),
        "supervisor": identity_from(value["supervisor"]),
        "patience": Patience(**value["patience"]),
    }
    return Spec(**{**value, **changed})


def as_json(facts: Identity | Spec | Holder | Ending | Patience | None) -> dict[str, Any] | None:
    """The facts as a JSON object, named tuples within them too."""
    if facts is None:
        return None
    return {
        name: as_json(value) if isinstance(value, Identity | Patience) else value
        for name, value in facts._asdict().items()
    }
