from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlost.facts.durations import duration_text, instant_text, parse_duration, parse_instant


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("20m", 1200), ("1h30m", 5400), ("7d", 604800), ("1w", 604800), ("1.5h", 5400), ("0.5s", 0.5)],
)
def test_durations_as_people_write_them(text: str, seconds: float) -> None:
    """contracts.md: `90s`, `20m`, `1h30m`, `7d`."""
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "m",
        "-5m",
        "5 m",
        "5m ",
        "5M",
        "1h 30m",
        "0s",
        "0m0s",
        "400d",
        "1e3s",
        "٣m",
        "9" * 400 + "d",
        "1.s",
        "1" * 200_000,
    ],
)
def test_anything_else_is_no_duration(text: str) -> None:
    """No unit, a sign, blanks, zero, more than a year: refused with a sentence that shows how it is written."""
    with pytest.raises(ValueError, match="a duration"):
        parse_duration(text)


@given(seconds=st.integers(1, 366 * 86400 - 1))
def test_duration_text_can_be_read_again(seconds: int) -> None:
    """What is shown is what may be typed, and it is off by less than the smallest unit shown."""
    assert 0 <= seconds - parse_duration(duration_text(seconds)) < 3600


@pytest.mark.parametrize(("seconds", "text"), [(0, "0s"), (-3, "0s"), (59.6, "1m"), (5400, "1h30m"), (90061, "1d1h")])
def test_duration_text_examples(seconds: float, text: str) -> None:
    """The two largest units are enough for a person."""
    assert duration_text(seconds) == text


@given(milliseconds=st.integers(0, 4_000_000_000_000))
def test_instant_round_trip(milliseconds: int) -> None:
    """A moment is written in UTC with milliseconds, and the same moment is read back."""
    text = instant_text(milliseconds / 1000)

    assert text.endswith("Z")
    assert round(parse_instant(text) * 1000) == pytest.approx(milliseconds, abs=1)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-01-02T03:04:05", "2026-13-01T00:00:00Z"])
def test_instant_needs_a_date_and_a_zone(text: str) -> None:
    """A moment without a zone names no moment."""
    with pytest.raises(ValueError, match=r"time zone|isoformat|month|Invalid"):
        parse_instant(text)
