"""unlost without a plan, for the command line and for Python: one workspace and everything a person can ask of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from unlost.app.opening import Found, Place, find_work_tree, open_place
from unlost.app.running import who_runs
from unlost.facts.errors import NeedsPerson, UsageError
from unlost.facts.words import BoundaryKind
from unlost.guard.facts import Boundary
from unlost.host.clock import Clock, SystemClock
from unlost.host.environment import is_below_attempt
from unlost.host.ids import new_id
from unlost.host.state_home import make_state_home
from unlost.ledger.protocol import Ledger, StreamDamaged
from unlost.ledger.registry import open_ledger
from unlost.plain.accept import Accepted, accept
from unlost.plain.check import Checked, check, no_boundary
from unlost.plain.facts import Order, Proven
from unlost.plain.listing import Diffed, Listed, diff_between, list_boundaries, list_events, list_snapshots
from unlost.plain.mark import Marked, marked
from unlost.plain.restore import Putting, Restored, last_to_redo, last_to_undo, would
from unlost.plain.wishes import Conflict, Wish, is_at, wishes_for, with_merges
from unlost.settings import Settings
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.identity import forget
from unlost.snapshot.wishes import wishes_between

Say = Callable[[str], None]


class Workspace:
    """One work tree, found and opened; close it when done.

    A work tree that was never marked is registered by `mark`; until then there is nothing to restore or to prove.
    """

    def __init__(self, target: str, settings: Settings, ledger: Ledger, clock: Clock, say: Say) -> None:
        self._target = target
        self._settings = settings
        self._ledger = ledger
        self._clock = clock
        self._say = say
        self._found = find_work_tree(target, settings, clock, new=False)
        self._place: Place | None = None

    @classmethod
    def open(cls, target: str, settings: Settings, *, say: Say | None = None) -> Self:
        """The workspace at a folder, at a root that may be gone, or with an id.

        `say` hears what takes long. Raises NotARepository, UsageError, LedgerUnavailable.
        """
        clock = SystemClock()
        make_state_home(settings.home)
        ledger = open_ledger(settings.ledger, clock)
        try:
            return cls(target, settings, ledger, clock, say or _say_nothing)
        except BaseException:
            ledger.close()
            raise

    def close(self) -> None:
        """Let go of files and processes."""
        if self._place is not None:
            self._place.close()
        self._ledger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def is_registered(self) -> bool:
        """Whether this work tree was marked before."""
        return self._found.identity is not None

    @property
    def ledger(self) -> Ledger:
        """The ledger that its record is in."""
        return self._ledger

    @property
    def found(self) -> Found:
        """What was found: root, state, and the registered identity when there is one."""
        return self._found

    @property
    def place(self) -> Place:
        """The registered workspace with everything open. Raises UsageError when it is not registered."""
        if self._place is None:
            self._place = open_place(
                self._found,
                self._settings,
                self._ledger,
                self._clock,
                running=self._who_runs,
                say=self._say,
            )
            self._place.settle_restores()
        return self._place

    def mark(self, label: str = "", *, kind: BoundaryKind = "mark") -> Marked:
        """Take a boundary: prove earlier claims, snapshot, claim what differs from HEAD. Registers on first use."""
        started = self._clock.monotonic()
        if self._found.identity is None or self._found.state == "replaced":
            self._found = find_work_tree(self._target, self._settings, self._clock, new=True)
        if not self.place.root_is_there:
            raise UsageError(
                "the work tree is gone; there is nothing to mark", hint="unlost restore --lost brings it back"
            )
        snapshot = self.place.boundaries.archive.capture(kind="boundary", label=label)
        taken = self.place.boundaries.take(snapshot, Order(kind=kind, label=label))
        return marked(self.place.boundaries, snapshot, taken, seconds=self._clock.monotonic() - started)

    def check(self, *, since: str | None = None, paranoid: bool = False) -> Checked:
        """Prove every claim against the tree as it is now. `since` is the snapshot of an earlier boundary.

        `paranoid` reads every file again instead of trusting what the system says of it.
        """
        started = self._clock.monotonic()
        if not self.is_registered:
            return _timed(no_boundary(None, self._found.root, self._found.state), started, self._clock)
        boundaries = self.place.boundaries
        if paranoid:
            boundaries.archive.distrust()
        until = None if since is None else self._boundary_at(since).number
        checked = check(boundaries, self._capture(), state=self._found.state, until=until)
        return _timed(checked, started, self._clock)

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
        return putting.put(wishes, proven, "restored", conflicts=conflicts, source=source)

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
        return putting.put(wishes, proven, "rewound", source=source)

    def undo(self) -> Restored:
        """Take the last restore or rewind back."""
        key, word = last_to_undo(self.place.boundaries)
        putting, proven = self._ready("before undo")
        wishes = [Wish(path=path, entry=entry) for path, entry in word.before.items()]
        done = putting.put(wishes, proven, "undone", of=key)
        return replace(done, undo="unlost redo")

    def redo(self) -> Restored:
        """Do again what undo took back."""
        key, word = last_to_redo(self.place.boundaries)
        putting, proven = self._ready("before redo")
        wishes = [Wish(path=path, entry=entry) for path, entry in word.entries.items()]
        return putting.put(wishes, proven, "redone", of=key)

    def accept(self, places: Sequence[bytes] = (), *, everything: bool = False, why: str = "") -> Accepted:
        """Say of losses that they are meant so. Raises NeedsPerson below an agent, UsageError for an unknown place."""
        if is_below_attempt():
            raise NeedsPerson(
                "only a person can accept a loss; an agent cannot", hint="unlost accept, in your terminal"
            )
        return accept(self.place.boundaries, self._capture(), places, everything=everything, why=why, new_id=new_id)

    def boundaries(self) -> Listed:
        """Every boundary, the oldest first."""
        return list_boundaries(self.place.boundaries) if self.is_registered else Listed(name="log", key="boundaries")

    def events(self) -> Listed:
        """Everything on the workspace's record, the oldest first."""
        return list_events(self.place.boundaries) if self.is_registered else Listed(name="log", key="events")

    def snapshots(self) -> Listed:
        """Every snapshot that is kept, the oldest first."""
        if not self.is_registered:
            return Listed(name="snapshots", key="snapshots")
        return list_snapshots(self.place.boundaries)

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

    def _capture(self) -> Snapshot | None:
        return self.place.boundaries.archive.capture(kind="autosave") if self.place.root_is_there else None

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

    def _boundary_at(self, snapshot: str) -> Boundary:
        for boundary in reversed(self.place.boundaries.claims().boundaries):
            if boundary.snapshot == snapshot:
                return boundary
        raise UsageError("that snapshot is no boundary; a check proves against boundaries", hint="unlost log")

    def _who_runs(self) -> tuple[str, str] | None:
        return who_runs(self.place.folder)


def _timed(checked: Checked, started: float, clock: Clock) -> Checked:
    milliseconds = round((clock.monotonic() - started) * 1000)
    return replace(checked, document={**checked.document, "ms": milliseconds})


def _say_nothing(_: str) -> None:
    """The listener of a program that nobody watches."""
