"""The contract that every ledger keeps (`tests/ledger` runs one suite over all of them), and its errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from unlost.facts.errors import SupersededWriter, TryLater, UnlostError
from unlost.facts.records import dataclass
from unlost.ledger.events import Event, NewEvent


class LedgerUnavailable(UnlostError):
    """The ledger as a whole cannot be opened, read or written; nothing was recorded by this call."""


class LedgerBusy(TryLater):
    """Another process held the ledger for longer than we wait; nothing was recorded by this call."""


class KeyTaken(TryLater):
    """The stream holds an event of this key that says something else: another supervisor went on here."""


class StreamMoved(TryLater):
    """The stream is longer than the caller knew: what was decided from it has to be decided again."""


class FencedOut(SupersededWriter):
    """The stream that this writer's right rests on went on: another writer took over; nothing was recorded."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Fence:
    """A writer's right to append to other streams: it ends when `stream` has more than `length` events."""

    stream: str
    length: int


class StreamDamaged(UnlostError):
    """A row of this one stream does not say what was recorded; other streams, snapshots and restore still work."""

    def __init__(self, stream: str, what: str) -> None:
        super().__init__(
            f"the record of {stream} is damaged: {what}; snapshots and restore still work, other records are whole",
            hint="unlost doctor --deep",
        )
        self.stream = stream
        self.what = what


class Ledger(Protocol):
    """Append-only streams of events; every method is durable or raises, and none waits longer than 10 seconds."""

    def append(
        self, stream: str, events: Sequence[NewEvent], *, expect: int | None = None, fence: Fence | None = None
    ) -> tuple[Event, ...]:
        """Record events at the end of a stream, all or none, and return them as stored, in order.

        An event whose key the stream already holds with the same kind, facts and body is not recorded again: the
        stored one is returned. With other content: KeyTaken. When anything is to be recorded and `expect` is
        given, the stream must have exactly that many events: else StreamMoved. With a `fence` nothing is recorded once
        its stream went on, proven in the same transaction: FencedOut. Raises StreamDamaged, LedgerBusy.
        """

    def read(self, stream: str, *, after: int = 0) -> tuple[Event, ...]:
        """The events of a stream with a sequence over `after`, proven against the chain; empty for no such stream."""

    def streams(self, prefix: str = "") -> tuple[str, ...]:
        """The names of all streams that begin with `prefix`, in the order of their first events."""

    def body(self, stream: str, sequence: int) -> bytes | None:
        """The private body of one event, proven against its digest; None when the event has none."""

    def close(self) -> None:
        """Let go of files and connections; closing twice is harmless."""
