"""A real ledger whose n-th append goes wrong: before the write or after it, by an error or by death."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from unlost.ledger.events import Event, NewEvent
from unlost.ledger.protocol import Fence, Ledger, LedgerUnavailable

Fault = Literal["throws before", "throws after", "dies before", "dies after"]
FAULTS: tuple[Fault, ...] = ("throws before", "throws after", "dies before", "dies after")


class FaultyLedger:
    """Passes everything on to `ledger`; `death` is raised for a fault that kills."""

    def __init__(self, ledger: Ledger, *, at: int, fault: Fault, death: type[BaseException]) -> None:
        self.ledger, self.left, self.fault, self.death = ledger, at, fault, death

    def append(
        self, stream: str, events: Sequence[NewEvent], *, expect: int | None = None, fence: Fence | None = None
    ) -> tuple[Event, ...]:
        self.left -= 1
        if self.left == 0 and self.fault.endswith("before"):
            raise self._wrong()
        stored = self.ledger.append(stream, events, expect=expect, fence=fence)
        if self.left == 0:
            raise self._wrong()
        return stored

    def read(self, stream: str, *, after: int = 0) -> tuple[Event, ...]:
        return self.ledger.read(stream, after=after)

    def streams(self, prefix: str = "") -> tuple[str, ...]:
        return self.ledger.streams(prefix)

    def body(self, stream: str, sequence: int) -> bytes | None:
        return self.ledger.body(stream, sequence)

    def close(self) -> None:
        self.ledger.close()

    def _wrong(self) -> BaseException:
        if self.fault.startswith("dies"):
            return self.death()
        return LedgerUnavailable("injected: the ledger did not acknowledge")
