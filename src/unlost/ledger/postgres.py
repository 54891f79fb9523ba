"""The ledger in PostgreSQL: one record for many machines.

Appends to one stream take turns by an advisory lock on its name, held to the end of the transaction; streams do not
wait for each other. A writer that waits longer than ten seconds gets LedgerBusy (exit 75).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, LiteralString

import psycopg

from unlost.host.clock import Clock
from unlost.ledger.appending import append_to, proven_body, start_of
from unlost.ledger.chain import Head, Row, prove, row_of
from unlost.ledger.events import Event, NewEvent
from unlost.ledger.migrations import needed
from unlost.ledger.protocol import Fence, LedgerBusy, LedgerUnavailable

_WAIT: Final = 10
_SCHEMA_LOCK: Final = 0x756E6C6F7374  # "unlost": workers that set up an empty database take turns
_SELECT: Final = (
    "SELECT sequence, kind, key, version, at, facts, body_digest, body_size, digest FROM events WHERE stream = %s"
)
_INSERT: Final = (
    "INSERT INTO events (stream, sequence, kind, key, version, at, facts, body_digest, body_size, digest)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"
)


def open_ledger(location: str, clock: Clock, *, upgrade: bool = False) -> PostgresLedger:
    """The ledger in the database at a `postgresql://` URL, set up when it is empty.

    Raises LedgerUnavailable when the database cannot be reached, NeedsPerson when its schema is older than ours.
    """
    with _told():
        connection = psycopg.connect(location, autocommit=True, connect_timeout=_WAIT)
    try:
        with _told():
            connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{_WAIT}s",))
        _set_up(connection, upgrade=upgrade)
    except BaseException:
        connection.close()
        raise
    return PostgresLedger(connection, clock)


class PostgresLedger:
    """A ledger over one connection, for use by one thread."""

    def __init__(self, connection: psycopg.Connection[Row], clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._rows = _Rows(connection)

    def append(
        self, stream: str, events: Sequence[NewEvent], *, expect: int | None = None, fence: Fence | None = None
    ) -> tuple[Event, ...]:
        """Record events in one transaction (see `Ledger.append`)."""
        with _told(), self._connection.transaction():
            if fence is not None:
                # Whoever lengthens the fence's stream waits for us, or we see what it recorded.
                self._connection.execute(
                    "SELECT pg_advisory_xact_lock_shared(hashtextextended(%s, 0))", (fence.stream,)
                )
            self._connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (stream,))
            return append_to(self._rows, stream, events, expect=expect, fence=fence, now=self._clock.now())

    def read(self, stream: str, *, after: int = 0) -> tuple[Event, ...]:
        """The events after a sequence, proven (see `Ledger.read`); one view of head and rows, while others append."""
        with _told(), self._connection.transaction():
            self._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            head = self._rows.head(stream)
            start = start_of(self._rows, stream, min(after, head.length))
            return prove(stream, self._rows.after(stream, start.length), start=start, end=head)

    def streams(self, prefix: str = "") -> tuple[str, ...]:
        """The names of all streams that begin with a prefix, oldest first."""
        with _told():
            rows = self._connection.execute(
                "SELECT name FROM streams WHERE starts_with(name, %s) ORDER BY id", (prefix,)
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

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection

    def head(self, stream: str) -> Head:
        return _head(self._one("SELECT length, digest FROM streams WHERE name = %s", stream))

    def newest(self, stream: str) -> Head:
        return _head(
            self._one("SELECT sequence, digest FROM events WHERE stream = %s ORDER BY sequence DESC LIMIT 1", stream)
        )

    def digest_at(self, stream: str, sequence: int) -> str | None:
        row = self._one("SELECT digest FROM events WHERE stream = %s AND sequence = %s", stream, sequence)
        return None if row is None else str(row[0])

    def with_key(self, stream: str, key: str) -> Row | None:
        return self._one(f"{_SELECT} AND key = %s", stream, key)

    def after(self, stream: str, sequence: int) -> Iterable[Row]:
        return self._connection.execute(f"{_SELECT} AND sequence > %s ORDER BY sequence", (stream, sequence))

    def body(self, stream: str, sequence: int) -> tuple[str | None, bytes | None]:
        row = self._one(
            "SELECT events.body_digest, bodies.body FROM events LEFT JOIN bodies USING (stream, sequence)"
            " WHERE stream = %s AND sequence = %s",
            stream,
            sequence,
        )
        return (None, None) if row is None else (row[0], None if row[1] is None else bytes(row[1]))

    def add(self, events: Iterable[tuple[Event, bytes | None]], head: Head) -> None:
        stream = ""
        for event, body in events:
            stream = event.stream
            self._connection.execute(_INSERT, (stream, *row_of(event)))
            if body is not None:
                self._connection.execute("INSERT INTO bodies VALUES (%s, %s, %s)", (stream, event.sequence, body))
        self._connection.execute(
            "INSERT INTO streams (name, length, digest) VALUES (%s, %s, %s)"
            " ON CONFLICT (name) DO UPDATE SET length = excluded.length, digest = excluded.digest",
            (stream, head.length, head.digest),
        )

    def _one(self, statement: LiteralString, *values: str | int) -> Row | None:
        return self._connection.execute(statement, values).fetchone()


def _head(row: Any) -> Head:
    return Head() if row is None else Head(length=row[0], digest=row[1])


def _set_up(connection: psycopg.Connection[Row], *, upgrade: bool) -> None:
    """Bring the schema up to date, safely beside other workers that do the same."""
    with _told(), connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SCHEMA_LOCK,))
        connection.execute("CREATE TABLE IF NOT EXISTS unlost_schema (version INTEGER NOT NULL)")
        row = connection.execute("SELECT max(version) FROM unlost_schema").fetchone()
        version = int(row[0]) if row is not None and row[0] is not None else 0
        for step in needed("postgres", version, upgrade=upgrade):
            for statement in step.statements():
                connection.execute(statement.encode())  # bytes: SQL of our own files, not made of literals
            connection.execute("INSERT INTO unlost_schema VALUES (%s)", (step.version,))


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Tell the driver's errors in our words; no message of the server's is passed on, it may name hosts and users."""
    try:
        yield
    except psycopg.errors.LockNotAvailable as error:
        raise LedgerBusy("another process has held the ledger for 10 seconds; nothing was recorded") from error
    except psycopg.Error as error:
        what = type(error).__name__
        raise LedgerUnavailable(
            f"the PostgreSQL ledger cannot be used ({what}); nothing was recorded by this call", hint="unlost doctor"
        ) from error
