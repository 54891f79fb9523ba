"""A provider's limit: put on record with the end of its agent, waited for on the ledger's word, left at once."""

from __future__ import annotations

from typing import Final

from unlost.agents.limits import FARTHEST
from unlost.agents.protocol import RateLimit
from unlost.attempt.facts import AttemptEnd
from unlost.engine.step import Step
from unlost.engine.stopping import StopWatch
from unlost.unit import actions
from unlost.unit.limit import RateLimited
from unlost.unit.limit_events import LimitAwaited, LimitPassed

_LOOK_EVERY: Final = 1.0
"""Seconds between two looks at the clock: a machine that slept, or a person who stops the unit, is not waited for."""


def limited(step: Step, end: AttemptEnd) -> RateLimited | None:
    """The limit that an agent ran into, as its end is recorded; None when there was none."""
    if end.limit is None:
        return None
    now = step.hands.clock.now()
    resets_at = moment_of(end.limit, now)
    # A reset in the past is no news: to come back at once would be to ask again and again. One in years is none.
    is_news = resets_at is not None and now < resets_at < now + FARTHEST
    return RateLimited(resets_at=resets_at if is_news else None)


def moment_of(limit: RateLimit, now: float) -> float | None:
    """When a limit is over, in seconds since 1970; None when that was not told."""
    if limit.resets_in is not None:
        return now + limit.resets_in
    if limit.resets_clock is not None:
        return limit.resets_clock.after(now)
    return limit.resets_at


def await_reset(step: Step, action: actions.AwaitReset) -> None:
    """Wait until the limit is over. Killed meanwhile, the next supervisor waits for the rest; a stop ends the wait."""
    state, clock, stopped = step.stream.state, step.hands.clock, StopWatch(step)
    assert state.limit is not None
    if state.limit.awaited_at <= state.resumed_at:
        key = f"limit awaited {state.sequence + 1}"
        step.intend(key, LimitAwaited(until=action.until), point="limit.awaited")
    while (left := action.until - clock.now()) > 0:
        clock.wait(min(left, _LOOK_EVERY))
        if stopped():
            return
    step.intend(f"limit passed {state.limit.heard_at}", LimitPassed(), point="limit.passed")
