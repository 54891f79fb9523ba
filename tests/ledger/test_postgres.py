"""The PostgreSQL ledger: damage, other workers, a database that is not there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from kit.hand_clock import HandClock
from ledger.conftest import OpenLedger

from unlost.facts.errors import NeedsPerson
from unlost.ledger.events import NewEvent
from unlost.ledger.postgres import PostgresLedger
from unlost.ledger.protocol import Ledger, LedgerBusy, LedgerUnavailable, StreamDamaged
from unlost.ledger.registry import open_ledger

pytestmark = [
    pytest.mark.service,
    pytest.mark.slow,
    pytest.mark.parametrize("url", ["postgres"], indirect=True),
]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE events SET facts = '{}' WHERE sequence = 2",
        "DELETE FROM events WHERE sequence = 3",
        "DELETE FROM events WHERE sequence = 1",
    ],
)
def test_a_damaged_row_stops_its_stream_alone(ledger: Ledger, url: str, damage: str) -> None:
    """A row that was changed, removed or cut off is found and named; every other stream can still be used."""
    for stream in ("u-1", "u-2"):
        ledger.append(stream, [NewEvent(kind="x", key=str(n), facts={"n": n}) for n in (1, 2, 3)])
    with psycopg.connect(url) as raw:
        raw.execute(f"{damage} AND stream = 'u-1'".encode())

    with pytest.raises(StreamDamaged, match="u-1"):
        ledger.read("u-1")
    assert len(ledger.read("u-2")) == 3


def test_workers_set_up_an_empty_database_together(url: str, clock: HandClock, reopen: OpenLedger) -> None:
    """Several workers on one empty database all find a ledger afterwards."""

    def use(number: int) -> int:
        opened = open_ledger(url, clock)
        opened.append(f"u-{number}", [NewEvent(kind="x", key="1")])
        opened.close()
        return number

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(use, range(6))) == list(range(6))
    assert len(reopen().streams()) == 6


def test_appenders_to_one_stream_take_turns(reopen: OpenLedger) -> None:
    """Appends of several workers to one stream make one chain without a gap."""
    ledgers = [reopen() for _ in range(4)]

    def fill(number: int) -> None:
        for event in range(20):
            ledgers[number].append("u-1", [NewEvent(kind="x", key=f"{number}.{event}")])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fill, range(4)))

    assert [event.sequence for event in ledgers[0].read("u-1")] == list(range(1, 81))


def test_a_held_stream_is_told(ledger: Ledger, url: str, clock: HandClock) -> None:
    """A writer that waits too long for a stream gets exit 75 and has recorded nothing; other streams go on."""
    with psycopg.connect(url) as holder:
        holder.execute("SELECT pg_advisory_xact_lock(hashtextextended('u-1', 0))")
        other = open_ledger(url, clock)
        assert isinstance(other, PostgresLedger)
        other._connection.execute("SELECT set_config('lock_timeout', '1s', false)")
        with pytest.raises(LedgerBusy):
            other.append("u-1", [NewEvent(kind="x", key="1")])
        other.append("u-2", [NewEvent(kind="x", key="1")])
        other.close()
    assert ledger.streams() == ("u-2",)


def test_a_database_that_is_not_there_is_told(url: str, clock: HandClock) -> None:
    """An unreachable database is an error in our words, without host, user or password."""
    with pytest.raises(LedgerUnavailable) as caught:
        open_ledger("postgresql://someone:s3cret@localhost:1/nothing", clock)
    assert "s3cret" not in str(caught.value)
    assert "someone" not in str(caught.value)


def test_an_older_schema_needs_the_person(ledger: Ledger, url: str, clock: HandClock) -> None:
    """A schema of another version is refused; nothing is changed."""
    with psycopg.connect(url) as raw:
        raw.execute("INSERT INTO unlost_schema VALUES (99)")

    with pytest.raises((LedgerUnavailable, NeedsPerson), match="schema 99"):
        open_ledger(url, clock)
