"""A ledger in memory, under the same rules and the same contract suite as the real ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from unlost.host.clock import Clock
from unlost.ledger.appending import append_to, proven_body, start_of
from unlost.ledger.chain import Head, Row, prove, row_of
from unlost.ledger.events import Event, NewEvent
from unlost.ledger.protocol import Fence


@dataclass
class MemoryRows:
    """The tables."""

    heads: dict[str, Head] = field(default_factory=dict)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    bodies: dict[tuple[str, int], bytes] = field(default_factory=dict)

    def head(self, stream: str) -> Head:
        return self.heads.get(stream, Head())

    def newest(self, stream: str) -> Head:
        rows = self.rows.get(stream)
        return Head(length=rows[-1][0], digest=rows[-1][-1]) if rows else Head()

    def digest_at(self, stream: str, sequence: int) -> str | None:
        rows = self.rows.get(stream, [])
        return str(rows[sequence - 1][-1]) if 0 < sequence <= len(rows) else None

    def with_key(self, stream: str, key: str) -> Row | None:
        return next((row for row in self.rows.get(stream, []) if row[2] == key), None)

    def add(self, events: Iterable[tuple[Event, bytes | None]], head: Head) -> None:
        for event, body in events:
            self.rows.setdefault(event.stream, []).append(row_of(event))
            self.heads[event.stream] = head
            if body is not None:
                self.bodies[event.stream, event.sequence] = body


class MemoryLedger:
    """One view of a `MemoryRows`; several views of the same rows are several processes."""

    def __init__(self, rows: MemoryRows, clock: Clock) -> None:
        self._rows = rows
        self._clock = clock

    def append(
        self, stream: str, events: Sequence[NewEvent], *, expect: int | None = None, fence: Fence | None = None
    ) -> tuple[Event, ...]:
        return append_to(self._rows, stream, events, expect=expect, fence=fence, now=self._clock.now())

    def read(self, stream: str, *, after: int = 0) -> tuple[Event, ...]:
        head = self._rows.head(stream)
        start = start_of(self._rows, stream, min(after, head.length))
        return prove(stream, self._rows.rows.get(stream, [])[start.length :], start=start, end=head)

    def streams(self, prefix: str = "") -> tuple[str, ...]:
        return tuple(stream for stream in self._rows.rows if stream.startswith(prefix))

    def body(self, stream: str, sequence: int) -> bytes | None:
        rows = self._rows.rows.get(stream, [])
        digest = rows[sequence - 1][6] if 0 < sequence <= len(rows) else None
        return proven_body(stream, sequence, digest, self._rows.bodies.get((stream, sequence)))

    def close(self) -> None:
        """Nothing is held."""
