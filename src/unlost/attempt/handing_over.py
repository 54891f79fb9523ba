"""An agent that reached its cap of turns is asked for its handoff: once more in the same conversation, and briefly.

It was interrupted first, as at any cap. What follows is a run of its own, with records of its own, whose outbox is
the attempt's: whatever way the agent hands over, the attempt has it. Without an answer in time the handoff is derived
from the tree, as ever.
"""

from __future__ import annotations

import os
from typing import Final

from unlost.agents.protocol import Agent, Usage
from unlost.attempt.facts import AttemptEnd, AttemptRequest
from unlost.attempt.outbox import read_outbox
from unlost.attempt.prepare import folders
from unlost.facts.records import replace

TURNS: Final = 2
"""Tool calls for the handoff itself: one, and one more for an agent that has to correct it."""

_SUFFIX: Final = "-handoff"


def can_ask(request: AttemptRequest, end: AttemptEnd) -> bool:
    """Whether this end leaves somebody to ask: a conversation that can be carried on, with time and money for it."""
    wanted = end.reason == "turns" and end.returned.handoff is None and not end.interrupted
    can_answer = request.agent.carries_on and end.session is not None
    return wanted and can_answer and request.caps.grace > 0 and _is_affordable(request, end)


def asking(request: AttemptRequest, end: AttemptEnd, agent: Agent, prompt: bytes) -> AttemptRequest:
    """The run that asks an ended attempt's agent for its handoff; `agent` is a fresh adapter."""
    caps, usage = request.caps, end.usage
    identity = asking_identity(end.attempt)
    errand = replace(
        request.errand,
        attempt=identity,
        prompt=prompt,
        folder=folders(request.workspace_folder, identity).private,
        session=end.session,
        requires_session=True,
        session_tokens=request.errand.session_tokens + (usage.tokens or 0),
        turns=TURNS,
        cost_usd=_left(caps.cost_usd, usage.cost_usd),
    )
    caps = replace(
        caps,
        turns=TURNS,
        tokens=int(_left(caps.tokens, usage.tokens)),
        cost_usd=errand.cost_usd,
        idle=caps.grace,
        wall_clock=caps.grace,
        grace=caps.cancel,
    )
    return replace(request, errand=errand, agent=agent, caps=caps)


def joined(workspace_folder: str, end: AttemptEnd, asked: AttemptEnd) -> AttemptEnd:
    """The attempt's end with what its handoff took and brought; why it ended stays what it was."""
    usage = Usage(
        tokens=_sum(end.usage.tokens, asked.usage.tokens),
        # A part whose price nobody knows leaves the whole unknown.
        cost_usd=None if None in (end.usage.cost_usd, asked.usage.cost_usd) else _sum_usd(end, asked),
    )
    return replace(
        end,
        returned=read_outbox(folders(workspace_folder, end.attempt).outbox),
        usage=usage,
        turns=end.turns + asked.turns,
        seconds=end.seconds + asked.seconds,
        struck=end.struck + asked.struck,
        session=asked.session or end.session,
        interrupted=asked.interrupted,
    )


def asking_identity(attempt: str) -> str:
    """The name under which the run that asks for an attempt's handoff keeps its records."""
    return attempt + _SUFFIX


def was_asked(workspace_folder: str, attempt: str) -> bool:
    """Whether an attempt's agent was asked for its handoff, however far that came."""
    return os.path.isdir(folders(workspace_folder, asking_identity(attempt)).attempt)


def _is_affordable(request: AttemptRequest, end: AttemptEnd) -> bool:
    caps, usage = request.caps, end.usage
    has_tokens = not caps.tokens or (usage.tokens or 0) < caps.tokens
    return has_tokens and (not caps.cost_usd or (usage.cost_usd or 0.0) < caps.cost_usd)


def _left(cap: float, used: float | None) -> float:
    """What is left of a cap; zero stays no cap."""
    return cap - (used or 0) if cap else 0


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None and second is None else (first or 0) + (second or 0)


def _sum_usd(first: AttemptEnd, second: AttemptEnd) -> float:
    return (first.usage.cost_usd or 0.0) + (second.usage.cost_usd or 0.0)
