"""Agents that work apart from the work tree, as orders and ends: researchers and reviewers."""

from __future__ import annotations

from collections.abc import Callable

from unlost.agents.protocol import AgentEvent
from unlost.attempt.facts import AttemptEnd, Caps
from unlost.facts.records import dataclass
from unlost.plan.facts import AgentChoice

Listen = Callable[[AgentEvent], None]
Stop = Callable[[], bool]
"""Asked at least twice a second; True ends the agent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ApartOrder:
    """One agent apart: `identity` is unique for ever, `tree` what its throw-away checkout holds."""

    identity: str
    unit: str
    number: int
    prompt: bytes
    agent: AgentChoice
    caps: Caps
    tree: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Investigated:
    """How an agent apart ended; its checkout is gone. `discarded` are the paths that it had changed in there."""

    end: AttemptEnd
    discarded: tuple[bytes, ...] = ()
