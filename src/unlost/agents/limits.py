"""How agents say that their provider takes no more for now: pure, over the words and numbers of their last lines."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final

from unlost.agents.protocol import RateLimit
from unlost.agents.reset_times import reset_time

# 529 is what Anthropic answers when it is overloaded.
_STATUSES: Final = frozenset({429, 529})
_WORDS: Final = re.compile(
    r"\b(429|529)\b|rate.?limit|usage.?limit|hit your .{0,20}limit|limit reached|too many requests|overloaded"
    r"|quota exceeded|exceeded your current quota|resource.?exhausted",
    re.IGNORECASE,
)
# `Claude AI usage limit reached|1764579600`
_EPOCH: Final = re.compile(r"\|\s*(\d{10})\b")
_INSTANT: Final = re.compile(r"\b(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))")
_PIECE: Final = r"\d+(?:\.\d+)?\s*(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b"
_LENGTH: Final = re.compile(rf"\b(?:in|after)\s+((?:{_PIECE}[\s,]*(?:and\s+)?)+)", re.IGNORECASE)
FARTHEST: Final = 400 * 86_400.0
"""Seconds; a longer wait is not one that anybody told."""

_PART: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([dhms])", re.IGNORECASE)
_SECONDS: Final = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0}


def limit_of(error: str, *, status: int = 0, resets_at: float | None = None) -> RateLimit | None:
    """The limit that an error tells of; None for any other error.

    `status` is the HTTP status and `resets_at` the moment of the reset, where the agent tells them apart from its
    words; else the words are searched for both.
    """
    if status not in _STATUSES and (status or not _WORDS.search(error)):
        return None
    if resets_at is not None:
        return RateLimit(resets_at=resets_at)
    moment = _moment(error)
    if moment is not None:
        return RateLimit(resets_at=moment)
    clock = reset_time(error)
    return RateLimit(resets_clock=clock) if clock is not None else RateLimit(resets_in=_length(error))


def _moment(error: str) -> float | None:
    epoch, instant = _EPOCH.search(error), _INSTANT.search(error)
    if epoch:
        return float(epoch[1])
    if instant is None:
        return None
    try:
        return datetime.fromisoformat(instant[1]).timestamp()
    except ValueError:
        return None


def _length(error: str) -> float | None:
    """`try again in 1 hour 5 minutes`, `retry after 20s`, `in 6m0s`."""
    found = _LENGTH.search(_spaced(error))
    if found is None:
        return None
    told = sum(float(count) * _SECONDS[unit.lower()] for count, unit in _PART.findall(found[1]))
    return told if told <= FARTHEST else None


def _spaced(error: str) -> str:
    """`6m0s` as `6m 0s`, so that every part ends at a word's end."""
    return re.sub(r"(?<=\d)([dhms])(?=\d)", r"\1 ", error)
