"""WHEN: the moment a person means by `3`, `-1`, `2f9c`, `before lunch`, `20m`, `14:05` or `2026-08-17T14:05`.

A pure rule over the moments that exist; the first form that fits decides, in the order of `resolve_when`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Final

from unlost.facts.durations import duration_text, parse_duration
from unlost.facts.errors import UsageError
from unlost.facts.records import dataclass

FORMS: Final = "a boundary number, -1, a snapshot id, a label, or a time such as 20m, 14:05 or 2026-08-17T14:05"
_HINT: Final = "`unlost log` lists the boundaries, `unlost snapshots` every snapshot"
_BACK: Final = re.compile(r"[-~](\d{1,9})")
_NUMBER: Final = re.compile(r"\d{1,9}")
_HEX: Final = re.compile(r"[0-9a-f]{4,64}")
_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}(:\d{2})?")
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One snapshot that WHEN can name; `boundary` is its number, None for a snapshot that is no boundary."""

    snapshot: str
    at: float
    boundary: int | None = None
    label: str | None = None


def resolve_when(text: str, moments: Sequence[Moment], *, now: float, zone: tzinfo | None = None) -> Moment:
    """The moment that `text` names; `moments` oldest first, `zone` None for the machine's own time zone.

    Order: boundary number, `-N` (`-1` is the boundary before the last), exact label (the newest), snapshot id of
    4 and more digits, time (the last moment at or before it). Raises UsageError when none or several fit.
    """
    rules: tuple[Callable[[str, Sequence[Moment]], Moment | None], ...] = (_by_number, _by_steps, _by_label, _by_id)
    for rule in rules:
        found = rule(text, moments)
        if found is not None:
            return found
    instant = parse_when_time(text, now=now, zone=zone)
    if instant is None:
        raise UsageError(f"nothing here is called {text!r}; WHEN is {FORMS}", hint=_HINT)
    return _at_or_before(text, instant, moments, now)


def parse_when_time(text: str, *, now: float, zone: tzinfo | None = None) -> float | None:
    """The instant a time names: `20m` ago, `14:05` (today, else yesterday), an ISO date or date and time, else None.

    A time without an offset is in `zone`; a date alone means its first moment.
    """
    try:
        return now - parse_duration(text)
    except ValueError:
        pass
    try:
        if _CLOCK.fullmatch(text):
            return _last_time_of_day(time.fromisoformat(text.rjust(5, "0")), now, zone)
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    # Without a zone `timestamp()` asks the machine for the rules of that day, summer time included.
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()


def _last_time_of_day(wanted: time, now: float, zone: tzinfo | None) -> float:
    today: date = datetime.fromtimestamp(now, zone).date()
    instant = datetime.combine(today, wanted, zone).timestamp()
    return instant if instant <= now else datetime.combine(today - _DAY, wanted, zone).timestamp()


def _by_number(text: str, moments: Sequence[Moment]) -> Moment | None:
    if not _NUMBER.fullmatch(text):
        return None
    return next((moment for moment in moments if moment.boundary == int(text)), None)


def _by_steps(text: str, moments: Sequence[Moment]) -> Moment | None:
    match = _BACK.fullmatch(text)
    if match is None:
        return None
    boundaries = [moment for moment in moments if moment.boundary is not None]
    steps = int(match[1])
    if steps >= len(boundaries):
        raise UsageError(f"there is no boundary {steps} before the last: {len(boundaries)} exist", hint=_HINT)
    return boundaries[-1 - steps]


def _by_label(text: str, moments: Sequence[Moment]) -> Moment | None:
    return next((moment for moment in reversed(moments) if moment.label == text), None)


def _by_id(text: str, moments: Sequence[Moment]) -> Moment | None:
    prefix = text.lower()
    if not _HEX.fullmatch(prefix):
        return None
    found = {moment.snapshot: moment for moment in moments if moment.snapshot.startswith(prefix)}
    if len(found) > 1:
        ids = ", ".join(sorted(snapshot[: len(prefix) + 4] for snapshot in found))
        raise UsageError(f"{len(found)} snapshots begin with {text}: {ids}", hint="type a few more digits")
    return next(iter(found.values()), None)


def _at_or_before(text: str, instant: float, moments: Sequence[Moment], now: float) -> Moment:
    earlier = [moment for moment in moments if moment.at <= instant]
    if earlier:
        return max(earlier, key=lambda moment: moment.at)
    if not moments:
        raise UsageError("there is no boundary yet", hint="`unlost mark` takes the first one")
    oldest = min(moments, key=lambda moment: moment.at)
    age = duration_text(max(0.0, now - oldest.at))
    raise UsageError(f"nothing is as old as {text!r}: the oldest moment is {age} ago", hint=_HINT)
