"""Lengths of time as people write them, and moments as unlost writes them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_TEXT: Final = re.compile(r"(\d+(?:\.\d+)?)(s|m|h|d|w)", re.ASCII)
_LONGEST: Final = 366 * 86400.0
_LONGEST_TEXT: Final = 40


def parse_duration(text: str) -> float:
    """Seconds of a text such as `90s`, `20m`, `1h30m`, `7d`; ValueError for anything else, zero or over a year."""
    # The pattern looks ahead from every digit: on a long text that is quadratic.
    parts = _TEXT.findall(text) if len(text) <= _LONGEST_TEXT else []
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError("a duration is written like 90s, 20m, 1h30m or 7d")
    seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if not 0 < seconds <= _LONGEST:
        raise ValueError("a duration must be longer than zero and at most a year")
    return seconds


def duration_text(seconds: float) -> str:
    """A length of time in its two largest units, as `parse_duration` reads it."""
    rest = max(0, round(seconds))
    parts: list[str] = []
    for unit in "dhms":
        count, rest = divmod(rest, int(_UNITS[unit]))
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts[:2]) or "0s"


def instant_text(moment: float) -> str:
    """A moment (seconds since 1970, UTC) as ISO 8601 with milliseconds and `Z`."""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_instant(text: str) -> float:
    """The moment that `instant_text` wrote; also any ISO 8601 text with a time zone. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a moment needs a time zone")
    return moment.timestamp()
