"""The SQLite ledger: damage, other processes, other schemas."""

from __future__ import annotations

import os
import sqlite3
import stat
from pathlib import Path

import pytest
from kit.hand_clock import HandClock
from ledger.conftest import OpenLedger

from unlost.facts.errors import NeedsPerson, UsageError
from unlost.ledger import sqlite as adapter
from unlost.ledger.events import NewEvent
from unlost.ledger.protocol import Ledger, LedgerBusy, LedgerUnavailable, StreamDamaged
from unlost.ledger.registry import open_ledger


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "ledger.sqlite"


def _three_events(ledger: Ledger, stream: str) -> None:
    ledger.append(stream, [NewEvent(kind="x", key=str(n), facts={"n": n}, body=b"b") for n in (1, 2, 3)])


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE events SET facts = '{\"n\":7}' WHERE stream = 'u-1' AND sequence = 2",
        "UPDATE events SET facts = 'no json' WHERE stream = 'u-1' AND sequence = 2",
        "UPDATE events SET facts = '[]' WHERE stream = 'u-1' AND sequence = 2",
        "UPDATE events SET at = at + 1 WHERE stream = 'u-1' AND sequence = 1",
        "UPDATE events SET kind = 'y' WHERE stream = 'u-1' AND sequence = 3",
        "UPDATE events SET body_digest = NULL WHERE stream = 'u-1' AND sequence = 3",
        "DELETE FROM events WHERE stream = 'u-1' AND sequence = 1",
        "DELETE FROM events WHERE stream = 'u-1' AND sequence = 3",
        "UPDATE streams SET length = 2 WHERE name = 'u-1'",
    ],
)
def test_a_damaged_row_stops_its_stream_alone(ledger: Ledger, file: Path, damage: str) -> None:
    """A row that was changed, removed or cut off is found and named; every other stream can still be used."""
    _three_events(ledger, "u-1")
    _three_events(ledger, "u-2")
    with sqlite3.connect(file) as raw:
        assert raw.execute(damage).rowcount == 1
    raw.close()

    with pytest.raises(StreamDamaged, match="u-1") as caught:
        ledger.read("u-1")

    assert caught.value.stream == "u-1"
    assert len(ledger.read("u-2")) == 3
    ledger.append("u-2", [NewEvent(kind="x", key="4")])
    assert ledger.streams() == ("u-1", "u-2")


def test_nothing_is_appended_to_a_stream_whose_end_is_damaged(ledger: Ledger, file: Path) -> None:
    """A stream that was cut off cannot be continued as if it were whole."""
    _three_events(ledger, "u-1")
    with sqlite3.connect(file) as raw:
        raw.execute("DELETE FROM events WHERE sequence = 3")
    raw.close()

    with pytest.raises(StreamDamaged):
        ledger.append("u-1", [NewEvent(kind="x", key="4")])


def test_a_changed_body_is_found(ledger: Ledger, file: Path) -> None:
    """A private body that is not what was recorded is refused; the public events still read."""
    _three_events(ledger, "u-1")
    with sqlite3.connect(file) as raw:
        raw.execute("UPDATE bodies SET body = x'00' WHERE sequence = 1")
        raw.execute("DELETE FROM bodies WHERE sequence = 2")
    raw.close()

    for sequence in (1, 2):
        with pytest.raises(StreamDamaged, match=f"event {sequence}"):
            ledger.body("u-1", sequence)
    assert len(ledger.read("u-1")) == 3


def test_a_held_ledger_is_told_not_waited_for_without_end(
    ledger: Ledger, file: Path, monkeypatch: pytest.MonkeyPatch, clock: HandClock
) -> None:
    """A writer that waits too long gets exit 75 and has recorded nothing."""
    monkeypatch.setattr(adapter, "_WAIT", 0.01)
    holder = sqlite3.connect(file, isolation_level=None)
    other = open_ledger(str(file), clock)
    holder.execute("BEGIN IMMEDIATE")

    with pytest.raises(LedgerBusy) as caught:
        other.append("u-1", [NewEvent(kind="x", key="1")])

    holder.execute("ROLLBACK")
    assert caught.value.exit_code == 75
    assert other.read("u-1") == ()
    holder.close()
    other.close()


def test_only_the_owner_may_read_it(ledger: Ledger, file: Path) -> None:
    """The state home is 0700 and the ledger 0600: bodies hold prompts."""
    assert stat.S_IMODE(os.stat(file.parent).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600


def test_other_schemas_are_refused(reopen: OpenLedger, file: Path, clock: HandClock) -> None:
    """A newer schema, and an older one without `db upgrade`, stop before anything is touched."""
    reopen().close()
    raw = sqlite3.connect(file, isolation_level=None)
    raw.execute("PRAGMA user_version = 99")

    with pytest.raises(LedgerUnavailable, match="schema 99"):
        open_ledger(str(file), clock)
    raw.close()


def test_a_file_that_is_no_ledger_is_told(file: Path, clock: HandClock) -> None:
    """A damaged file is an error with a hint, never a traceback and never written over."""
    file.parent.mkdir()
    file.write_bytes(b"this is no database" * 100)

    with pytest.raises(LedgerUnavailable, match="damaged"):
        open_ledger(str(file), clock)
    assert file.read_bytes().startswith(b"this is no database")


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path, clock: HandClock) -> None:
    """No write access to the state home is an error that says what to set."""
    (tmp_path / "file").write_text("")

    with pytest.raises(LedgerUnavailable) as caught:
        open_ledger(str(tmp_path / "file" / "ledger.sqlite"), clock)
    assert "UNLOST_HOME" in str(caught.value.hint)


def test_urls(tmp_path: Path, clock: HandClock) -> None:
    """A ledger is named by a path, `sqlite:PATH` or `sqlite:///PATH`; anything else is a usage error."""
    open_ledger(f"sqlite://{tmp_path}/a", clock).close()
    open_ledger(f"sqlite:{tmp_path}/b", clock).close()

    assert {"a", "b"} <= {path.name for path in tmp_path.iterdir()}
    with pytest.raises(UsageError):
        open_ledger("mysql://x", clock)


def test_an_older_schema_needs_the_person(tmp_path: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older schema is refused with `unlost db upgrade`, and upgraded when that is what was asked for."""
    folder = tmp_path / "sql"
    (folder / "sqlite").mkdir(parents=True)
    (folder / "sqlite" / "0001_a.sql").write_text("CREATE TABLE a (x INTEGER);\n")
    monkeypatch.setattr("unlost.ledger.migrations._FOLDER", str(folder))
    open_ledger(str(tmp_path / "l"), clock).close()
    (folder / "sqlite" / "0002_b.sql").write_text("CREATE TABLE b (x INTEGER);\nCREATE TABLE c (x INTEGER);\n")

    with pytest.raises(NeedsPerson) as caught:
        open_ledger(str(tmp_path / "l"), clock)
    open_ledger(str(tmp_path / "l"), clock, upgrade=True).close()

    assert caught.value.hint == "unlost db upgrade"
    open_ledger(str(tmp_path / "l"), clock).close()
