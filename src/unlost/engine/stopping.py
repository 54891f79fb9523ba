"""A person's `stop` reaches an agent that runs, from whatever process it was said in."""

from __future__ import annotations

from typing import Final

from unlost.engine.step import Step

_LOOK_EVERY: Final = 1.0
"""Seconds between two looks at the ledger."""


class StopWatch:
    """Says whether the unit is to stop; asked often, it looks into the ledger now and then."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._looked = step.hands.clock.monotonic()

    def __call__(self) -> bool:
        """Whether a person asked for the stop."""
        now = self._step.hands.clock.monotonic()
        if now - self._looked >= _LOOK_EVERY:
            self._looked = now
            self._step.stream.read()
        return self._step.stream.state.stop_asked
