"""A clock that tests move by hand."""

from __future__ import annotations


class HandClock:
    """Tells the time it was set to; waiting moves it."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self.time = now

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time

    def wait(self, seconds: float) -> None:
        self.time += seconds
