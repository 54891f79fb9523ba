"""unlost without a plan, for the command line and for Python: one workspace and everything a person can ask of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from unlost.app.open_workspace import OpenWorkspace
from unlost.app.status_line import note_claims
from unlost.facts.errors import NeedsPerson, UsageError
from unlost.facts.records import replace
from unlost.host.environment import is_below_attempt
from unlost.host.ids import new_id
from unlost.ledger.protocol import StreamDamaged
from unlost.plain.accept import Accepted, accept
from unlost.plain.differing import Diffed, diff_between
from unlost.plain.facts import Proven
from unlost.plain.restore import Putting, Restored, last_to_redo, last_to_undo, would
from unlost.plain.wishes import Conflict, Wish, is_at, wishes_for, with_merges
from unlost.snapshot.identity import forget
from unlost.snapshot.wishes import wishes_between

_Answer = TypeVar("_Answer")


class Workspace(OpenWorkspace):
    """One work tree, found and opened; close it when done.

    A work tree that was never marked is registered by `mark`; until then there is nothing to restore or to prove.
    """

    def restore(
        self,
        paths: Sequence[bytes] = (),
        *,
        lost: bool = False,
        source: str | None = None,
        merge: bool = False,
        to: str | None = None,
        dry_run: bool = False,
    ) -> Restored:
        """Put paths (files or folders) back, or with `lost` every open loss; into a missing root everything.

        `source` is the snapshot to take them from; without, each comes from where it was last seen. The present is
        kept first. `merge` puts back only what was lost and keeps later lines. `to` is another folder to put them in.
        """
        putting, proven = self._ready("before restore", dry_run=dry_run or to is not None, source=source)
        boundaries = self.place.boundaries
        wishes = wishes_for(proven, boundaries.trees, boundaries.snapshot, paths, lost=lost, source=source)
        conflicts: list[Conflict] = []
        if merge:
            wishes, conflicts = with_merges(wishes, proven, boundaries.trees)
        if dry_run:
            return would(wishes, proven, boundaries.trees, conflicts)
        if to is not None:
            return putting.put_elsewhere(wishes, os.path.abspath(to))
        return self._noted(putting.put(wishes, proven, "restored", conflicts=conflicts, source=source))

    def rewind(self, source: str, paths: Sequence[bytes] = (), *, dry_run: bool = False) -> Restored:
        """Make the tree (or these paths) exactly as a snapshot has it; files made since go, kept in a snapshot."""
        putting, proven = self._ready("before rewind", dry_run=dry_run)
        trees = self.place.boundaries.trees
        then = self.place.boundaries.snapshot(source)
        wishes = [
            Wish(path=each.path, entry=each.entry, private=each.private)
            for each in wishes_between(trees, proven.snapshot, then)
            if not paths or any(is_at(each.path, place) for place in paths)
        ]
        if dry_run:
            return would(wishes, proven, trees)
        return self._noted(putting.put(wishes, proven, "rewound", source=source))

    def undo(self) -> Restored:
        """Take the last restore or rewind back."""
        key, word = last_to_undo(self.place.boundaries)
        putting, proven = self._ready("before undo")
        wishes = [Wish(path=path, entry=entry) for path, entry in word.before.items()]
        done = putting.put(wishes, proven, "undone", of=key)
        return self._noted(replace(done, undo="unlost redo"))

    def redo(self) -> Restored:
        """Do again what undo took back."""
        key, word = last_to_redo(self.place.boundaries)
        putting, proven = self._ready("before redo")
        wishes = [Wish(path=path, entry=entry) for path, entry in word.entries.items()]
        return self._noted(putting.put(wishes, proven, "redone", of=key))

    def accept(self, places: Sequence[bytes] = (), *, everything: bool = False, why: str = "") -> Accepted:
        """Say of losses that they are meant so. Raises NeedsPerson below an agent, UsageError for an unknown place."""
        if is_below_attempt():
            raise NeedsPerson(
                "only a person can accept a loss; an agent cannot", hint="unlost accept, in your terminal"
            )
        return self._noted(
            accept(self.place.boundaries, self._capture(), places, everything=everything, why=why, new_id=new_id)
        )

    def diff(self, before: str, after: str | None, paths: Sequence[bytes] = ()) -> Diffed:
        """What differs between two snapshots, or one and the present."""
        boundaries = self.place.boundaries
        now = self._capture() if after is None else boundaries.snapshot(after)
        return diff_between(boundaries, boundaries.snapshot(before), now, paths)

    def content(self, snapshot: str, path: bytes) -> bytes:
        """A file of a snapshot, byte for byte. Raises UsageError when it holds none."""
        boundaries = self.place.boundaries
        entry = boundaries.trees.held(boundaries.snapshot(snapshot), path)
        if entry is None:
            raise UsageError(
                "that snapshot holds no such file", hint="unlost diff shows what differs between snapshots"
            )
        return boundaries.trees.whole(entry.oid)

    def forget(self) -> None:
        """Forget this workspace: its row and caches; its snapshots are let go by the next collection."""
        identity = self.place.identity
        self.place.close()
        self._place = None
        forget(self._settings.home, identity)

    def _noted(self, answer: _Answer) -> _Answer:
        """Draw the line of `status --line` anew; what cannot be read now is drawn by the next look."""
        try:
            note_claims(self.place.folder, self.place.boundaries.claims())
        except StreamDamaged:
            return answer
        return answer

    def _ready(self, label: str, *, dry_run: bool = False, source: str | None = None) -> tuple[Putting, Proven]:
        """The present, kept and proved, and what puts contents into it.

        When the record is damaged, what is asked for from a named snapshot can be had all the same.
        """
        place = self.place
        putting = Putting(boundaries=place.boundaries, journals=place.journals, new_id=new_id)
        kept = self._capture() if dry_run else putting.keep(label, root_is_there=place.root_is_there)
        try:
            with place.boundaries.looking() as looking:
                proven = place.boundaries.prove(kept, looking)
        except StreamDamaged:
            if source is None:
                raise
            return replace(putting, on_record=False), place.boundaries.unproved(kept)
        if not proven.has_boundary:
            raise UsageError("there is no boundary yet, so there is nothing to restore", hint="unlost mark")
        return putting, proven
