"""What every record of an agent's end says, whoever it was: coder, researcher or reviewer."""

from __future__ import annotations

from typing import TypedDict

from unlost.attempt.facts import AttemptEnd, EndReason
from unlost.engine.apart_ports import Investigated
from unlost.engine.limits import limited
from unlost.engine.step import Step
from unlost.unit.limit import RateLimited
from unlost.unit.proof import MAXIMUM_NAMED


class Ending(TypedDict):
    """How a run ended and what it used; `settled` was found out afterwards, because its supervisor died."""

    reason: EndReason
    failed: bool
    exit_code: int | None
    turns: int
    tokens: int | None
    cost_usd: float | None
    seconds: float
    settled: bool
    limit: RateLimited | None


class Discarded(TypedDict):
    """The paths that an agent wrote in its throw-away checkout: at most `MAXIMUM_NAMED`, and how many there were."""

    discarded: tuple[bytes, ...]
    discarded_count: int


def ending(step: Step, end: AttemptEnd, *, settled: bool) -> Ending:
    """The facts of an end, as `AttemptEnded`, `ResearchEnded` and `ReviewEnded` carry them."""
    return Ending(
        reason=end.reason,
        failed=end.error is not None,
        exit_code=end.exit_code,
        turns=end.turns,
        tokens=end.usage.tokens,
        cost_usd=end.usage.cost_usd,
        seconds=end.seconds,
        settled=settled,
        limit=limited(step, end),
    )


def discarded(investigated: Investigated) -> Discarded:
    """What an agent apart wrote for nothing, as `ResearchEnded` and `ReviewEnded` carry it."""
    paths = investigated.discarded
    return Discarded(discarded=paths[:MAXIMUM_NAMED], discarded_count=len(paths))
