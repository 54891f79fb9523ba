"""The rules of appending and reading, over rows that an adapter fetches and stores inside its own transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from unlost.ledger.chain import Head, Row, extend, prove, same_or_taken
from unlost.ledger.events import Event, NewEvent, digest_of_body
from unlost.ledger.protocol import Fence, FencedOut, StreamDamaged, StreamMoved


class Rows(Protocol):
    """The tables of one database, within one transaction; every row has the columns of `chain.COLUMNS`."""

    def head(self, stream: str) -> Head:
        """What the stream's head says; the empty head for no such stream."""

    def newest(self, stream: str) -> Head:
        """What the stream's newest row says; the empty head when it has none."""

    def digest_at(self, stream: str, sequence: int) -> str | None:
        """The digest of one event."""

    def with_key(self, stream: str, key: str) -> Row | None:
        """The event of this key."""

    def add(self, events: Iterable[tuple[Event, bytes | None]], head: Head) -> None:
        """Store events with their bodies, and the stream's new head."""


def append_to(
    rows: Rows, stream: str, events: Sequence[NewEvent], *, expect: int | None, fence: Fence | None, now: float
) -> tuple[Event, ...]:
    """What `Ledger.append` promises, in the transaction of `rows`.

    The newest row must be what the head says; the chain before it is proven by every reader.
    """
    head = rows.head(stream)
    newest = rows.newest(stream)
    if newest != head:
        raise StreamDamaged(stream, f"it has {newest.length} events where {head.length} were recorded")
    length = head.length
    added: dict[str, tuple[Event, bytes | None]] = {}
    stored: list[Event] = []
    for new in events:
        known = added[new.key][0] if new.key in added else _known(rows, stream, new.key)
        if known is not None:
            stored.append(same_or_taken(known, new))
            continue
        if fence is not None and rows.head(fence.stream).length > fence.length:
            raise FencedOut(f"another writer took over from this one; nothing more was recorded in {stream}")
        if expect not in (None, length):
            raise StreamMoved(f"{stream} went on while this command decided; nothing was recorded")
        event = extend(stream, head, new, at=now)
        head = Head(length=event.sequence, digest=event.digest)
        added[new.key] = (event, new.body)
        stored.append(event)
    if added:
        rows.add(added.values(), head)
    return tuple(stored)


def start_of(rows: Rows, stream: str, after: int) -> Head:
    """The head that the events after a sequence follow, as the rows have it."""
    if after <= 0:
        return Head()
    digest = rows.digest_at(stream, after)
    if digest is None:
        raise StreamDamaged(stream, f"event {after} is missing")
    return Head(length=after, digest=digest)


def proven_body(stream: str, sequence: int, digest: str | None, body: bytes | None) -> bytes | None:
    """The body of an event with this digest of it; raises StreamDamaged when it is another one or gone."""
    if digest is None:
        return None
    if body is None or digest_of_body(body) != digest:
        raise StreamDamaged(stream, f"the private body of event {sequence} is missing or was changed")
    return body


def _known(rows: Rows, stream: str, key: str) -> Event | None:
    row = rows.with_key(stream, key)
    if row is None:
        return None
    start = start_of(rows, stream, row[0] - 1)
    return prove(stream, [row], start=start, end=Head(length=row[0], digest=row[-1]))[0]
