"""The hash chain of a stream: how an event is added to it, and how rows are proven against it.

Each digest is made over everything its event says and over the digest before it. A changed, missing or
reordered row is found, and stops that stream alone. Adapters move rows in and out; the rules are here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final

from unlost.facts.records import dataclass
from unlost.ledger.events import Event, NewEvent, digest_of_body, facts_text
from unlost.ledger.protocol import KeyTaken, StreamDamaged

COLUMNS: Final = "sequence, kind, key, version, at, facts, body_digest, body_size, digest"
"""The columns of a row, in the order that `prove` and `row_of` use."""

FIRST: Final = hashlib.sha256(b"unlost ledger 1").hexdigest()
"""What stands in the place of a digest before the first event of a stream."""

Row = tuple[Any, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """The end of a chain: how many events it has, and the digest of the last one."""

    length: int = 0
    digest: str = FIRST


def extend(stream: str, head: Head, new: NewEvent, *, at: float) -> Event:
    """The event that `new` becomes at the end of the chain; raises ValueError for facts that are not JSON."""
    text, at = facts_text(new.facts), float(at)
    body = digest_of_body(new.body)
    size = None if new.body is None else len(new.body)
    sequence = head.length + 1
    digest = _digest(head.digest, (stream, sequence, new.kind, new.key, new.version, at, text, body, size))
    return Event(
        stream=stream,
        sequence=sequence,
        kind=new.kind,
        key=new.key,
        version=new.version,
        at=at,
        facts=json.loads(text),
        body_digest=body,
        body_size=size,
        digest=digest,
    )


def row_of(event: Event) -> Row:
    """An event as the columns of `COLUMNS`."""
    said = (event.sequence, event.kind, event.key, event.version, event.at, facts_text(event.facts))
    return (*said, event.body_digest, event.body_size, event.digest)


def prove(stream: str, rows: Iterable[Row], *, start: Head, end: Head) -> tuple[Event, ...]:
    """The events of rows that must lead from one head to the other; raises StreamDamaged where they do not."""
    events: list[Event] = []
    sequence, digest = start.length, start.digest
    for row in rows:
        sequence += 1
        event = _decode(stream, row, sequence)
        if event.digest != _digest(digest, (stream, *row[:-1])):
            raise StreamDamaged(stream, f"event {sequence} was changed")
        digest = event.digest
        events.append(event)
    if (sequence, digest) != (end.length, end.digest):
        raise StreamDamaged(stream, f"it has {sequence} events where {end.length} were recorded")
    return tuple(events)


def same_or_taken(stored: Event, new: NewEvent) -> Event:
    """The stored event when `new` says the same under the same key; else raises KeyTaken."""
    said = (new.kind, new.version, facts_text(new.facts), digest_of_body(new.body))
    if said != (stored.kind, stored.version, facts_text(stored.facts), stored.body_digest):
        raise KeyTaken(
            f"{stored.stream} already records something else as {new.key}: another supervisor went on here",
            hint="unlost status",
        )
    return stored


def _decode(stream: str, row: Row, sequence: int) -> Event:
    number, kind, key, version, at, text, body, size, digest = row
    if number != sequence:
        raise StreamDamaged(stream, f"event {sequence} is missing")
    try:
        facts = json.loads(text)
    except (TypeError, ValueError) as error:
        raise StreamDamaged(stream, f"event {sequence} is not JSON") from error
    if not isinstance(facts, dict):
        raise StreamDamaged(stream, f"event {sequence} is not a JSON object")
    return Event(
        stream=stream,
        sequence=number,
        kind=kind,
        key=key,
        version=version,
        at=at,
        facts=facts,
        body_digest=body,
        body_size=size,
        digest=digest,
    )


def _digest(before: str, said: Row) -> str:
    # Length before each part: no two different events share one byte form.
    parts = (before, *map(str, said))
    return hashlib.sha256("".join(f"{len(part)}:{part}," for part in parts).encode("utf-8", "replace")).hexdigest()
