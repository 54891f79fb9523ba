"""Times of day at which a limit is said to end, as agents were seen to write them, and as nobody should."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlost.agents.reset_times import MINUTE, reset_time

NOW = "2026-01-07T14:30:20+00:00"
"""A Wednesday; half past three in Berlin, where this machine stands, half past nine in New York."""


@pytest.fixture(autouse=True)
def in_berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This machine's local time."""
    with monkeypatch.context() as patched:
        patched.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield
    time.tzset()


def instant(text: str) -> float:
    """Seconds since 1970."""
    return datetime.fromisoformat(text).timestamp()


def told(words: str, now: str = NOW) -> float | None:
    """The moment that words tell, a minute's grace left out."""
    found = reset_time(words)
    moment = None if found is None else found.after(instant(now))
    return None if moment is None else moment - MINUTE


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("You've hit your session limit · resets 6:48am (UTC)", "2026-01-08T06:48Z"),
        ("You've hit your session limit · resets 8:30pm (Asia/Tokyo)", "2026-01-08T11:30Z"),
        ("You've hit your limit · resets 11pm (America/Anchorage)\n/upgrade to increase it", "2026-01-08T08:00Z"),
        ("You've hit your session limit · resets 2:30pm (Pacific/Auckland)", "2026-01-08T01:30Z"),
        ("You've hit your limit · resets 12:50am(America/Los_Angeles)", "2026-01-08T08:50Z"),
        ("5-hour limit reached ∙ resets 5pm", "2026-01-07T16:00Z"),
        ("5-hour limit reached ∙ resets 3pm", "2026-01-08T14:00Z"),
        ("Claude usage limit reached. Your limit will reset at 12am.", "2026-01-07T23:00Z"),
        ("Claude usage limit reached. Your limit will reset at 1pm (Etc/GMT+5).", "2026-01-07T18:00Z"),
        ("Weekly limit reached ∙ resets Jan 12, 10:59am (America/New_York)", "2026-01-12T15:59Z"),
        ("Weekly limit reached ∙ resets Jan 12 at 3pm (Asia/Kolkata)", "2026-01-12T09:30Z"),
        ("Weekly limit reached: resets Monday at 9am", "2026-01-12T08:00Z"),
        ("Weekly limit reached, resets Wed, 9:00 AM (Europe/Berlin)", "2026-01-14T08:00Z"),
        ("limit reached, resets at 6am tomorrow", "2026-01-08T05:00Z"),
        ("limit reached, resets tomorrow at 11 p.m.", "2026-01-08T22:00Z"),
        ("Usage limit reached for gemini-2.5-pro.\nAccess resets at 10:57 PM GMT-3.", "2026-01-08T01:57Z"),
        ("Access resets at 5:04 PM GMT+5:30.", "2026-01-08T11:34Z"),
        ("Access resets at 10:30 AM PST.", "2026-01-07T18:30Z"),
        ("usage limit: resets 18:05 (UTC)", "2026-01-07T18:05Z"),
        ("usage limit: available again at 18:05", "2026-01-07T17:05Z"),
        ("You’ve hit your usage limit. Visit x or try again at 6:49 AM.", "2026-01-08T05:49Z"),
        ("usage limit: try again at Jan 9th, 2026 1:22 PM.", "2026-01-09T12:22Z"),
    ],
)
def test_a_time_of_day_is_read_in_its_zone(words: str, moment: str) -> None:
    """The first such time after now, in the zone that is named, else in this machine's own."""
    assert told(words) == instant(moment)


def test_the_minute_that_runs_is_not_over() -> None:
    """A time without seconds that begins this very minute is meant as today's."""
    assert told("resets 2:30pm (UTC)") == instant("2026-01-07T14:30Z")


def test_a_date_around_the_turn_of_the_year() -> None:
    """A date without a year is the next of its name, and none when only last year's is near."""
    assert told("resets Jan 2, 1am (UTC)", "2026-12-31T12:00Z") == instant("2027-01-02T01:00Z")
    assert told("resets Dec 30, 1am (UTC)", "2026-12-31T12:00Z") is None


@pytest.mark.parametrize(
    ("now", "moment"),
    [
        ("2026-10-24T22:00Z", "2026-10-25T00:30Z"),
        ("2026-10-25T00:45Z", "2026-10-25T01:30Z"),
        ("2026-10-25T01:45Z", "2026-10-26T01:30Z"),
    ],
)
def test_an_hour_that_a_clock_shows_twice(now: str, moment: str) -> None:
    """When summer time ends, half past two is the earlier one, then the later one, then the next day's."""
    assert told("resets 2:30am (Europe/Berlin)", now) == instant(moment)
    assert told("resets 2:30am", now) == instant(moment)


@pytest.mark.parametrize(
    "words",
    [
        "resets 25:00",
        "resets 6:99am",
        "resets 13pm (UTC)",
        "resets 0am",
        "resets 5",
        "resets 5 times a day",
        "resets Feb 31, 5pm (UTC)",
        "resets Feb 31st, 2026 5pm (UTC)",
        "resets Jan 12, 0000, 5pm (UTC)",
        "resets 5pm (Mars/Olympus)",
        "resets 5pm (America)",
        "resets 5pm (leapseconds)",
        "resets 5pm (GMT+99)",
        "resets 5pm (localhost)",
        "resets Jan 1, 1999, 5pm (UTC)",
        "failed at 12:30:45",
        "the test on 10:30 of 12:00",
        "presets 5pm",
        "",
    ],
)
def test_what_no_clock_shows_is_no_time(words: str) -> None:
    """Hours, days and zones that do not exist, and numbers that are no time, tell nothing."""
    assert told(words) is None


@given(st.text(alphabet="resta 0159:,()apmUTCGJnMo+-/\n", max_size=60))
def test_whatever_is_written_is_a_later_moment_or_none(text: str) -> None:
    """No words make an error, a moment in the past, or one that is farther away than a limit can be."""
    moment = told(f"resets {text}")

    assert moment is None or instant(NOW) - MINUTE < moment < instant("2027-02-08T00:00Z")
