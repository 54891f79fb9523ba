"""Autosaves of one workspace while something works in its tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unlost.facts.quoting import clean
from unlost.facts.records import dataclass
from unlost.host.clock import Clock
from unlost.snapshot.archive import Archive
from unlost.snapshot.autosave import Autosaver


@dataclass(frozen=True, kw_only=True)
class Autosaving:
    """Whether and how often a tree is saved; `longest` is how many seconds a change may stay unsaved, None for off."""

    archive: Archive
    longest: float | None
    clock: Clock

    @contextmanager
    def during(self, tell: Callable[[str], None]) -> Iterator[None]:
        """Saves the tree as long as the context lasts; saves that failed are told at its end and disturb nothing."""
        if self.longest is None:
            yield
            return
        saver = Autosaver(self.archive.root, self._save, longest=self.longest, clock=self.clock)
        try:
            with saver:
                yield
        finally:
            for problem, times in saver.failures.items():
                how_often = "once" if times == 1 else f"{times} times"
                tell(f"the tree could not be saved {how_often} while it changed: {clean(problem, one_line=True)}")

    def _save(self) -> None:
        self.archive.capture(kind="autosave")
