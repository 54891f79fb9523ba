"""A provider's limit of its rate, as a unit's record tells it."""

from __future__ import annotations

from unlost.facts.records import dataclass
from unlost.facts.words import Phase


@dataclass(frozen=True, kw_only=True, slots=True)
class RateLimited:
    """An agent was sent away by its provider's limit: part of the event of its end.

    `resets_at` is when more is taken, in seconds since 1970; None when the agent did not tell, or told a moment that
    had passed.
    """

    resets_at: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitRecord:
    """The limit that the newest agent of a unit ran into; the numbers are sequences of events.

    `awaited_at`: the wait for its reset was put on record (0: never), in `phase`.
    """

    resets_at: float | None
    heard_at: int
    awaited_at: int = 0
    phase: Phase = "coding"
