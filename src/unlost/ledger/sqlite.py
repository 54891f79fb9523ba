"""The ledger in one SQLite file: the default on one machine.

WAL with `synchronous=FULL`: what `append` returned survives a power cut. Writers take turns by
`BEGIN IMMEDIATE`; one that waits longer than ten seconds gets LedgerBusy (exit 75).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from unlost.host.clock import Clock
from unlost.ledger.appending import append_to, proven_body, start_of
from unlost.ledger.chain import COLUMNS, Head, Row, prove, row_of
from unlost.ledger.events import Event, NewEvent
from unlost.ledger.migrations import needed
from unlost.ledger.protocol import Fence, LedgerBusy, LedgerUnavailable

_WAIT: Final = 10.0
_SELECT: Final = f"SELECT {COLUMNS} FROM events WHERE stream = ?"  # noqa: S608  (a constant of ours)
_INSERT: Final = f"INSERT INTO events (stream, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608


def open_ledger(location: str, clock: Clock, *, upgrade: bool = False) -> SqliteLedger:
    """The ledger in the file at `location`, made (0600, folder 0700) and set up when it is not there.

    Raises LedgerUnavailable when the file cannot be used, NeedsPerson when its schema is older than ours.
    """
    folder = os.path.dirname(location) or "."
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        os.close(os.open(location, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise LedgerUnavailable(
            f"the ledger cannot be opened for writing: {error.strerror}; nothing was started",
            hint="set UNLOST_HOME to a folder that you may write to",
        ) from error
    with _told():
        connection = sqlite3.connect(location, timeout=_WAIT, isolation_level=None)
    try:
        _set_up(connection, upgrade=upgrade)
    except BaseException:
        connection.close()
        raise
    return SqliteLedger(connection, clock)


class SqliteLedger:
    """A ledger over one connection, for use by one thread."""

    def __init__(self, connection: sqlite3.Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._rows = _Rows(connection)

    def append(
        self, stream: str, events: Sequence[NewEvent], *, expect: int | None = None, fence: Fence | None = None
    ) -> tuple[Event, ...]:
        """Record events in one transaction (see `Ledger.append`)."""
        with _transaction(self._connection, "IMMEDIATE"):
            return append_to(self._rows, stream, events, expect=expect, fence=fence, now=self._clock.now())

    def read(self, stream: str, *, after: int = 0) -> tuple[Event, ...]:
        """The events after a sequence, proven (see `Ledger.read`); one view of head and rows, while others append."""
        with _transaction(self._connection, "DEFERRED"):
            head = self._rows.head(stream)
            start = start_of(self._rows, stream, min(after, head.length))
            return prove(stream, self._rows.after(stream, start.length), start=start, end=head)

    def streams(self, prefix: str = "") -> tuple[str, ...]:
        """The names of all streams that begin with a prefix, oldest first."""
        with _told():
            rows = self._connection.execute(
                "SELECT name FROM streams WHERE substr(name, 1, length(?1)) = ?1 ORDER BY id", (prefix,)
            )
            return tuple(row[0] for row in rows)

    def body(self, stream: str, sequence: int) -> bytes | None:
        """The private body of one event, proven against the event's digest of it."""
        with _told():
            digest, body = self._rows.body(stream, sequence)
        return proven_body(stream, sequence, digest, body)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class _Rows:
    """The tables, within whatever transaction the connection is in."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def head(self, stream: str) -> Head:
        return _head(self._one("SELECT length, digest FROM streams WHERE name = ?", stream))

    def newest(self, stream: str) -> Head:
        return _head(
            self._one("SELECT sequence, digest FROM events WHERE stream = ? ORDER BY sequence DESC LIMIT 1", stream)
        )

    def digest_at(self, stream: str, sequence: int) -> str | None:
        row = self._one("SELECT digest FROM events WHERE stream = ? AND sequence = ?", stream, sequence)
        return None if row is None else str(row[0])

    def with_key(self, stream: str, key: str) -> Row | None:
        return self._one(f"{_SELECT} AND key = ?", stream, key)

    def after(self, stream: str, sequence: int) -> Iterable[Row]:
        return self._connection.execute(f"{_SELECT} AND sequence > ? ORDER BY sequence", (stream, sequence))

    def body(self, stream: str, sequence: int) -> tuple[str | None, bytes | None]:
        row = self._one(
            "SELECT events.body_digest, bodies.body FROM events LEFT JOIN bodies USING (stream, sequence)"
            " WHERE stream = ? AND sequence = ?",
            stream,
            sequence,
        )
        return (None, None) if row is None else (row[0], row[1])

    def add(self, events: Iterable[tuple[Event, bytes | None]], head: Head) -> None:
        stream = ""
        for event, body in events:
            stream = event.stream
            self._connection.execute(_INSERT, (stream, *row_of(event)))
            if body is not None:
                self._connection.execute("INSERT INTO bodies VALUES (?, ?, ?)", (stream, event.sequence, body))
        self._connection.execute(
            "INSERT INTO streams (name, length, digest) VALUES (?, ?, ?)"
            " ON CONFLICT (name) DO UPDATE SET length = excluded.length, digest = excluded.digest",
            (stream, head.length, head.digest),
        )

    def _one(self, statement: str, *values: str | int) -> Row | None:
        row: Row | None = self._connection.execute(statement, values).fetchone()
        return row


def _head(row: Any) -> Head:
    return Head() if row is None else Head(length=row[0], digest=row[1])


def _set_up(connection: sqlite3.Connection, *, upgrade: bool) -> None:
    """Bring the schema up to date, safely beside other processes that do the same."""
    with _told():
        for setting in ("journal_mode = WAL", "synchronous = FULL", "trusted_schema = OFF"):
            connection.execute(f"PRAGMA {setting}")
    if not needed("sqlite", _version(connection), upgrade=upgrade):
        return
    with _transaction(connection, "IMMEDIATE"):
        for step in needed("sqlite", _version(connection), upgrade=upgrade):
            for statement in step.statements():
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {step.version}")


def _version(connection: sqlite3.Connection) -> int:
    with _told():
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    with _told():
        connection.execute(f"BEGIN {kind}")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Tell SQLite's errors in our words."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise LedgerBusy("another process has held the ledger for 10 seconds; nothing was recorded") from error
        raise LedgerUnavailable(f"the ledger cannot be used ({error}); nothing was recorded") from error
    except sqlite3.DatabaseError as error:
        raise LedgerUnavailable(
            f"the ledger file is damaged ({error}); snapshots and restore still work", hint="unlost doctor --deep"
        ) from error
