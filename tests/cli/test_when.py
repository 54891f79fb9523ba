from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from unlost.cli.when import Moment, parse_when_time, resolve_when
from unlost.facts.errors import UsageError

NOON = datetime(2026, 8, 17, 12, 0, tzinfo=UTC).timestamp()
MOMENTS = (
    Moment(snapshot="aaaa1111" * 5, at=NOON - 7200, boundary=0),
    Moment(snapshot="aaaa2222" * 5, at=NOON - 3600, boundary=1, label="before lunch"),
    Moment(snapshot="12345678" * 5, at=NOON - 1800),
    Moment(snapshot="beef0000" * 5, at=NOON - 600, boundary=2, label="1"),
    Moment(snapshot="cafe0000" * 5, at=NOON - 60, boundary=3, label="before lunch"),
)


def named(text: str) -> int | str | None:
    """The boundary that WHEN names, else the first digits of the snapshot."""
    moment = resolve_when(text, MOMENTS, now=NOON, zone=UTC)
    return moment.snapshot[:8] if moment.boundary is None else moment.boundary


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("3", 3),
        ("-1", 2),
        ("~1", 2),
        ("-3", 0),
        ("-0", 3),
        ("before lunch", 3),
        ("beef", 2),
        ("BEEF0", 2),
        ("aaaa1", 0),
        ("1234", "12345678"),
        ("10m", 2),
        ("20m", "12345678"),
        ("1h30m", 0),
        ("11:00", 1),
        ("11:50:30", 2),
        ("2026-08-17T10:30", 0),
        ("2026-08-17T13:00+02:00", 1),
        ("2026-08-18", 3),
    ],
)
def test_each_form_names_its_moment(text: str, expected: int | str) -> None:
    """WHEN is a boundary number, `-1`, a label, a snapshot id or a time, in this order."""
    assert named(text) == expected


def test_a_number_is_a_boundary_before_it_is_a_label() -> None:
    """A label that looks like a number never hides the boundary of that number."""
    assert named("1") == 1


def test_a_clock_time_later_than_now_is_of_yesterday() -> None:
    """At noon, `14:05` is yesterday's."""
    instant = parse_when_time("14:05", now=NOON, zone=UTC)

    assert instant == datetime(2026, 8, 16, 14, 5, tzinfo=UTC).timestamp()


def test_a_time_without_offset_is_in_the_zone() -> None:
    """`14:05` means the clock on the person's wall."""
    zone = timezone(timedelta(hours=9))

    instant = parse_when_time("2026-08-17T14:05", now=NOON, zone=zone)

    assert instant == datetime(2026, 8, 17, 5, 5, tzinfo=UTC).timestamp()


@pytest.mark.parametrize("text", ["nonsense", "99", "", "25:00", "feed", "abc", "-x"])
def test_what_fits_nothing_is_refused_with_the_forms(text: str) -> None:
    """An unknown WHEN is a usage error that tells the forms and where to look."""
    with pytest.raises(UsageError, match="WHEN is a boundary number") as caught:
        named(text)

    assert "unlost log" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("text", "what"),
    [("aaaa", "2 snapshots begin with aaaa"), ("-4", "no boundary 4 before the last"), ("5h", "nothing is as old")],
)
def test_what_fits_too_much_or_too_little_says_which(text: str, what: str) -> None:
    """An ambiguous id, too many steps back and a time before the first moment each have their own message."""
    with pytest.raises(UsageError, match=what):
        named(text)


def test_without_any_boundary_a_time_says_how_to_take_one() -> None:
    """`20m` before the first mark hints at `unlost mark`."""
    with pytest.raises(UsageError) as caught:
        resolve_when("20m", (), now=NOON)

    assert "unlost mark" in (caught.value.hint or "")
