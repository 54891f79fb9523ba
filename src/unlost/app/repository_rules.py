"""`unlost.toml` at a repository's root: `[snapshot]` for everybody who works here, over the user's own settings.

It is never read from a tree that an agent may have changed, or an agent could hide its own losses as scratch: while a
unit is open its admission boundary decides, else the newest boundary that a person or an admission took. Only before
there is any boundary does the file on disk count, and while a unit is being admitted: that very tree becomes its
admission boundary.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from unlost.facts.errors import FileInvalid
from unlost.facts.records import dataclass
from unlost.facts.trees import EXECUTABLE, REGULAR
from unlost.host.reading import read_regular, write_atomically
from unlost.ledger.protocol import Ledger, StreamDamaged
from unlost.plain.events import EVENTS, BoundaryTaken
from unlost.settings import SnapshotSettings, repository_snapshot_settings
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import SnapshotUnreadable

FILE: Final = b"unlost.toml"
_LARGEST: Final = 1 << 20
_SEEN: Final = "rules.seen"
_FILES: Final = (REGULAR, EXECUTABLE)
_TURNS: Final = frozenset({"unit.admitted", "revision.opened", "unit.ended"})


@dataclass(frozen=True, kw_only=True)
class RuleSource:
    """Where the rules of one workspace are looked for; `archive` opens its snapshots, and is closed again."""

    workspace: str
    root: str
    folder: str
    ledger: Ledger
    archive: Callable[[], Archive]
    say: Callable[[str], None]

    def rules(self, settings: SnapshotSettings, *, admitting: bool) -> SnapshotSettings:
        """What is in force here; where nobody ever saw an `unlost.toml` that costs two looks at the disk.

        A boundary's file that cannot be used is passed over and told. Raises FileInvalid for one on disk that counts.
        """
        if not self._was_seen():
            return settings
        try:
            boundary = None if admitting else self._deciding()
            if boundary is None:
                data = read_regular(self._path, _LARGEST)
                return settings if data is None else repository_snapshot_settings(data, settings)
            return self._of_boundary(boundary, settings)
        except (StreamDamaged, SnapshotUnreadable) as error:
            self.say(f"unlost.toml is passed over: {error.message}")
            return settings

    @property
    def _path(self) -> bytes:
        return os.path.join(os.fsencode(self.root), FILE)

    def _was_seen(self) -> bool:
        """Whether there is an `unlost.toml`, or ever was one: its absence now may be an agent's doing."""
        seen = os.path.join(self.folder, _SEEN)
        if os.path.exists(seen):
            return True
        if not os.path.lexists(self._path):
            return False
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        write_atomically(seen, b"")
        return True

    def _of_boundary(self, boundary: BoundaryTaken, settings: SnapshotSettings) -> SnapshotSettings:
        with self.archive() as archive:
            entry = archive.entry(boundary.tree, FILE)
            data = None if entry is None or entry.mode not in _FILES else archive.content(entry.oid, _LARGEST)
        try:
            return settings if data is None else repository_snapshot_settings(data, settings)
        except FileInvalid as error:
            self.say(f"unlost.toml of boundary {boundary.number} is passed over: {error.message}")
            return settings

    def _deciding(self) -> BoundaryTaken | None:
        """The boundary whose file counts; None when there is none yet."""
        payloads = [EVENTS.payload(event) for event in self.ledger.read(self.workspace)]
        taken = [each for each in payloads if isinstance(each, BoundaryTaken)]
        own = [each for each in taken if each.unit is None or each.kind == "admission"]
        admission = next((each for each in reversed(own) if each.kind == "admission"), None)
        if admission is not None and admission.unit is not None and _is_open(self.ledger, admission.unit):
            return admission
        return own[-1] if own else None


def _is_open(ledger: Ledger, unit: str) -> bool:
    """Whether a unit goes on or waits; told by kinds of events alone, so that `mark` need not pay for a fold."""
    turn = next((event.kind for event in reversed(ledger.read(unit)) if event.kind in _TURNS), "unit.ended")
    return turn != "unit.ended"
