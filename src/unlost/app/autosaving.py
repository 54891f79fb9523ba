"""Autosaves of one workspace while something works in its tree."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

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

    def during(self) -> AbstractContextManager[object]:
        """Saves the tree as long as the context lasts; a save that fails disturbs nothing."""
        if self.longest is None:
            return nullcontext()
        return Autosaver(self.archive.root, self._save, longest=self.longest, clock=self.clock)

    def _save(self) -> None:
        self.archive.capture(kind="autosave")
