"""Times of day as agents write them: `resets 6:48am (UTC)`, `Resets Jan 12, 10:59am (America/New_York)`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from unlost.facts.records import dataclass

MINUTE: Final = 60.0
"""What a time without seconds may be too early."""

_FARTHEST: Final = timedelta(days=32)
"""No provider limits for longer; a date that seems farther away is one of the past."""

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_YEAR: Final = r"(?:(?P<year>\d{4}),? )?"
_DAY: Final = (
    rf"(?:(?P<weekday>{'|'.join(_WEEKDAYS)})[a-z]{{0,6}}\.?,? )?"
    rf"(?:(?P<month>{'|'.join(_MONTHS)})[a-z]{{0,6}}\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? {_YEAR})?"
)
_TIME: Final = r"(?P<hour>\d{1,2})(?::(?P<minute>\d\d)(?::\d\d)?)?(?![\d:]) ?(?P<half>[ap]\.?m\b\.?)?"
_ABBREVIATED: Final = r"(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d\d)?)?|[PMCE][SD]T"
_ZONE: Final = rf"(?: ?\((?P<named>[A-Za-z][\w+:/-]{{0,40}})\)| ?\b(?P<short>{_ABBREVIATED})\b)?"
_TOLD: Final = re.compile(
    r"\b(?P<lead>resets?|again|available|until|at|on):? (?:(?:at|on) )?(?P<before>tomorrow )?"
    rf"{_DAY}(?:at )?{_TIME}{_ZONE}(?P<tomorrow> tomorrow\b)?",
    re.IGNORECASE,
)
_OFFSET: Final = re.compile(r"(?:UTC|GMT)([+-])(\d{1,2})(?::?(\d\d))?", re.IGNORECASE)
# As `toLocaleString("en-US", { timeZoneName: "short" })` names them; elsewhere it writes `GMT+1`.
_AMERICAN: Final = {
    **{f"{letter}ST": hours for letter, hours in zip("PMCE", (-8, -7, -6, -5), strict=True)},
    **{f"{letter}DT": hours for letter, hours in zip("PMCE", (-7, -6, -5, -4), strict=True)},
}


@dataclass(frozen=True, kw_only=True)
class ResetTime:
    """An hour and a minute on somebody's clock; what else was told narrows it down.

    `zone` None is this machine's local time, `month` None the next day on which it is that time. `month` and `weekday`
    count from 1 and from 0.
    """

    hour: int
    minute: int
    zone: tzinfo | None = None
    weekday: int | None = None
    year: int | None = None
    month: int | None = None
    day: int | None = None
    tomorrow: bool = False

    def after(self, now: float) -> float | None:
        """The first such moment, in seconds since 1970; None when there is none, or none that a limit could mean.

        A minute is added, since the seconds are left out of what agents write.
        """
        here = datetime.fromtimestamp(now, self.zone or UTC)
        if self.zone is None:
            here = here.astimezone()
        moments = (self._on(day) for day in self._days(here.date()))
        return min((moment for each in moments for moment in each if moment > now), default=None)

    def _days(self, today: date) -> Iterator[date]:
        if self.month is not None and self.day is not None:
            for year in (self.year,) if self.year is not None else (today.year, today.year + 1):
                try:
                    told = date(year, self.month, self.day)
                except ValueError:
                    continue
                if self.year is not None or abs(told - today) <= _FARTHEST:
                    yield told
            return
        for ahead in range(1 if self.tomorrow else 0, 9 if self.weekday is not None else 2):
            day = today + timedelta(days=ahead)
            if self.weekday in (None, day.weekday()):
                yield day

    def _on(self, day: date) -> Iterator[float]:
        # An hour that a clock shows twice in autumn may be either of the two.
        for fold in (0, 1):
            moment = datetime(day.year, day.month, day.day, self.hour, self.minute, tzinfo=self.zone, fold=fold)
            try:
                yield moment.timestamp() + MINUTE
            except (OverflowError, ValueError):
                return


def reset_time(words: str) -> ResetTime | None:
    """The time of day at which a limit is said to end; None when none is told, or in a zone that nobody knows here."""
    for told in _TOLD.finditer(" ".join(words.split())):
        clock = _clock(told["hour"], told["minute"], told["half"])
        # `at 10:30` alone is any moment that a message tells of, `at 10:30 AM` is said to a person.
        if clock is None or (told["half"] is None and told["lead"].lower() in {"at", "on"}):
            continue
        try:
            zone = _zone(told["named"] or told["short"])
        except (OSError, ValueError, KeyError):
            return None
        return ResetTime(
            hour=clock[0],
            minute=clock[1],
            zone=zone,
            weekday=_WEEKDAYS.index(told["weekday"].lower()) if told["weekday"] else None,
            year=int(told["year"]) if told["year"] else None,
            month=_MONTHS.index(told["month"].lower()) + 1 if told["month"] else None,
            day=int(told["day"]) if told["day"] else None,
            tomorrow=bool(told["before"] or told["tomorrow"]),
        )
    return None


def _clock(hour: str, minute: str | None, half: str | None) -> tuple[int, int] | None:
    """Hour and minute; None for a bare number, and for what no clock shows."""
    told = int(hour), int(minute or 0)
    if told[1] > 59 or (half is None and minute is None):
        return None
    if half is None:
        return told if told[0] <= 23 else None
    if not 1 <= told[0] <= 12:
        return None
    return told[0] % 12 + (12 if half[0].lower() == "p" else 0), told[1]


def _zone(name: str | None) -> tzinfo | None:
    """The zone of a name, None for none. Raises OSError, ValueError, KeyError for one that is not known here."""
    if name is None:
        return None
    if name.upper() in {"UTC", "GMT"}:
        return UTC
    if name.upper() in _AMERICAN:
        return timezone(timedelta(hours=_AMERICAN[name.upper()]))
    offset = _OFFSET.fullmatch(name)
    if offset is None:
        return ZoneInfo(name)
    ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0))
    return timezone(ahead if offset[1] == "+" else -ahead)
