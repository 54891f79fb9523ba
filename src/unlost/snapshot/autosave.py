"""Autosave: snapshots between boundaries while an agent or a wrapped command works (design.md, section 4).

When the tree changed and was then quiet for two seconds, and at least once in every 60 seconds of change. An
autosave makes no claims. It runs in a thread of its own beside whoever waits for the command; a capture holds the
capture lock, so it takes turns with boundaries.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.paths import NEVER, REBUILDABLE
from unlost.facts.records import dataclass, replace
from unlost.host.clock import Clock
from unlost.host.watching import Watch, open_watch

QUIET: Final = 2.0
"""Seconds without a change after which a changed tree is saved."""

_LOOK_EVERY: Final = 0.5


@dataclass(frozen=True, kw_only=True)
class Pace:
    """When the next autosave is due; moments are monotonic seconds."""

    longest: float
    first_change: float | None = None
    last_change: float | None = None

    def changed(self, now: float) -> Pace:
        """The pace after a change was noticed."""
        return replace(self, first_change=now if self.first_change is None else self.first_change, last_change=now)

    def saved(self) -> Pace:
        """The pace after a save."""
        return replace(self, first_change=None, last_change=None)

    def is_due(self, now: float) -> bool:
        """Whether unsaved change was quiet for two seconds, or is older than the longest wait."""
        if self.first_change is None or self.last_change is None:
            return False
        return now - self.last_change >= QUIET or now - self.first_change >= self.longest


class Autosaver:
    """Saves a work tree while something else changes it; use it as a context manager around that.

    `save` takes one autosave; an UnlostError of it is kept in `failures` (by message, counted once each) and never
    disturbs what is being watched over. `longest` is in seconds.
    """

    def __init__(self, root: str, save: Callable[[], object], *, longest: float, clock: Clock) -> None:
        self._save = save
        self._clock = clock
        self._pace = Pace(longest=longest)
        self._root = root
        self._leave = threading.Event()
        self._watch: Watch | None = None
        self._thread = threading.Thread(target=self._work, name="autosave", daemon=True)
        self.saves = 0
        self.failures: dict[str, int] = {}

    def __enter__(self) -> Autosaver:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        # The caller takes a boundary next, so what is unsaved now is about to be captured anyway.
        self._leave.set()
        if self._watch is not None:
            self._watch.wake()
        self._thread.join()
        if self._watch is not None:
            self._watch.close()

    def _work(self) -> None:
        # Signals are for the thread that waits for the command: it forwards them.
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        watch = self._watch = open_watch(self._root, skip=NEVER | REBUILDABLE)
        # What changed before the watch stood was seen by nobody; a capture of an unchanged tree costs little.
        self._pace = self._pace.changed(self._clock.monotonic())
        while not self._leave.is_set():
            self._turn(watch)

    def _turn(self, watch: Watch) -> None:
        if watch.wait(_LOOK_EVERY):
            self._pace = self._pace.changed(self._clock.monotonic())
            # Without this a storm of changes would spin: one look in half a second is enough.
            self._leave.wait(_LOOK_EVERY)
        if self._pace.is_due(self._clock.monotonic()) and not self._leave.is_set():
            self._pace = self._pace.saved()
            try:
                self._save()
                self.saves += 1
            except UnlostError as error:
                self.failures[error.message] = self.failures.get(error.message, 0) + 1
