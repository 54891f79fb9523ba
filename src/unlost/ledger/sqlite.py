"""The ledger in one SQLite file: the default on one machine.

WAL with `synchronous=FULL`: what `append` returned survives a power cut. Writers take turns by
`BEGIN IMMEDIATE`; one that waits longer than ten seconds gets LedgerBusy (exit 75).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Final

from unlost.host.clock import Clock
from unlost.ledger.chain import COLUMNS, Head, extend, prove, row_of, same_or_taken
from unlost.ledger.events import Event, NewEvent, digest_of_body
from unlost.ledger.migrations import needed
from unlost.ledger.protocol import LedgerBusy, LedgerUnavailable, StreamDamaged, StreamMoved

_WAIT: Final = 10.0
_EVENTS: Final = f"SELECT {COLUMNS} FROM events WHERE stream = ?"  # noqa: S608  (a constant of ours)
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
    ledger = SqliteLedger(connection, clock)
    try:
        ledger.set_up(upgrade=upgrade)
    except BaseException:
        ledger.close()
        raise
    return ledger


class SqliteLedger:
    """A ledger over one connection, for use by one thread."""

    def __init__(self, connection: sqlite3.Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock

    def set_up(self, *, upgrade: bool) -> None:
        """Bring the schema up to date, safely beside other processes that do the same."""
        with _told():
            for setting in ("journal_mode = WAL", "synchronous = FULL", "trusted_schema = OFF"):
                self._connection.execute(f"PRAGMA {setting}")
            if not needed("sqlite", self._version(), upgrade=upgrade):
                return
        with self._transaction():
            for step in needed("sqlite", self._version(), upgrade=upgrade):
                for statement in step.statements():
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version = {step.version}")

    def append(self, stream: str, events: Sequence[NewEvent], *, expect: int | None = None) -> tuple[Event, ...]:
        """Record events in one transaction (see `Ledger.append`)."""
        with self._transaction():
            head = self._proven_head(stream)
            stored: list[Event] = []
            length = head.length
            for new in events:
                known = self._by_key(stream, new.key)
                if known is not None:
                    stored.append(same_or_taken(known, new))
                    continue
                if expect not in (None, length):
                    raise StreamMoved(f"{stream} went on while this command decided; nothing was recorded")
                event = extend(stream, head, new, at=self._clock.now())
                self._insert(event, new.body)
                head = Head(length=event.sequence, digest=event.digest)
                stored.append(event)
            if head.length != length:
                self._connection.execute(
                    "INSERT INTO streams (name, length, digest) VALUES (?, ?, ?)"
                    " ON CONFLICT (name) DO UPDATE SET length = excluded.length, digest = excluded.digest",
                    (stream, head.length, head.digest),
                )
            return tuple(stored)

    def read(self, stream: str, *, after: int = 0) -> tuple[Event, ...]:
        """The events after a sequence, proven (see `Ledger.read`)."""
        with _told():
            self._connection.execute("BEGIN")  # one view of head and rows, while others append
            try:
                head = self._head(stream)
                start = self._head_at(stream, min(after, head.length))
                rows = self._connection.execute(f"{_EVENTS} AND sequence > ? ORDER BY sequence", (stream, start.length))
                return prove(stream, rows, start=start, end=head)
            finally:
                self._connection.execute("COMMIT")

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
            row = self._connection.execute(
                "SELECT events.body_digest, bodies.body FROM events LEFT JOIN bodies USING (stream, sequence)"
                " WHERE stream = ? AND sequence = ?",
                (stream, sequence),
            ).fetchone()
        if row is None or row[0] is None:
            return None
        if digest_of_body(row[1]) != row[0]:
            raise StreamDamaged(stream, f"the private body of event {sequence} is missing or was changed")
        return bytes(row[1])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0])

    def _head(self, stream: str) -> Head:
        row = self._connection.execute("SELECT length, digest FROM streams WHERE name = ?", (stream,)).fetchone()
        return Head() if row is None else Head(length=row[0], digest=row[1])

    def _head_at(self, stream: str, sequence: int) -> Head:
        if sequence <= 0:
            return Head()
        row = self._connection.execute(
            "SELECT digest FROM events WHERE stream = ? AND sequence = ?", (stream, sequence)
        ).fetchone()
        if row is None:
            raise StreamDamaged(stream, f"event {sequence} is missing")
        return Head(length=sequence, digest=row[0])

    def _proven_head(self, stream: str) -> Head:
        """The head, when the newest row is what it says; the chain before it is proven by every reader."""
        head = self._head(stream)
        last = self._connection.execute("SELECT max(sequence) FROM events WHERE stream = ?", (stream,)).fetchone()[0]
        if (last or 0) != head.length or self._head_at(stream, head.length) != head:
            raise StreamDamaged(stream, f"it has {last or 0} events where {head.length} were recorded")
        return head

    def _by_key(self, stream: str, key: str) -> Event | None:
        row = self._connection.execute(f"{_EVENTS} AND key = ?", (stream, key)).fetchone()
        if row is None:
            return None
        before = self._head_at(stream, row[0] - 1)
        return prove(stream, [row], start=before, end=Head(length=row[0], digest=row[-1]))[0]

    def _insert(self, event: Event, body: bytes | None) -> None:
        self._connection.execute(_INSERT, (event.stream, *row_of(event)))
        if body is not None:
            self._connection.execute("INSERT INTO bodies VALUES (?, ?, ?)", (event.stream, event.sequence, body))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with _told():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Tell SQLite's errors in our words."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise LedgerBusy(
                "another process holds the ledger for more than 10 seconds; nothing was recorded"
            ) from error
        raise LedgerUnavailable(f"the ledger cannot be used ({error}); nothing was recorded") from error
    except sqlite3.DatabaseError as error:
        raise LedgerUnavailable(
            f"the ledger file is damaged ({error}); snapshots and restore still work", hint="unlost doctor --deep"
        ) from error
