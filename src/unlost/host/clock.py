"""The one clock: everything that needs time is handed a `Clock` (decision 10)."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time and waits; tests hand in one that they move by hand."""

    def now(self) -> float:
        """Seconds since 1970, UTC; may jump when the machine's clock is set."""

    def monotonic(self) -> float:
        """Seconds that only rise; for lengths of time within one process."""

    def wait(self, seconds: float) -> None:
        """Return after this many seconds."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Seconds since 1970, UTC."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that only rise."""
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        """Sleep."""
        time.sleep(seconds)
