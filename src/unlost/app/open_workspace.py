"""unlost without a plan, as far as most commands need it: one workspace, marked, checked and listed.

`app.plain.Workspace` adds what brings contents back. What is imported here every `mark` pays for: keep it little.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Final, Self

from unlost.app.opening import Found, Place, find_work_tree, open_place
from unlost.app.running import who_runs
from unlost.app.status_line import note_boundary
from unlost.facts.errors import UsageError
from unlost.facts.records import replace
from unlost.facts.words import BoundaryKind
from unlost.guard.facts import Boundary
from unlost.host.clock import Clock, SystemClock
from unlost.host.doors import open_door
from unlost.host.state_home import make_state_home
from unlost.ledger.protocol import Ledger
from unlost.ledger.registry import open_ledger
from unlost.plain.check import Checked, check, no_boundary
from unlost.plain.facts import Order
from unlost.plain.listing import Listed, list_boundaries, list_events, list_snapshots
from unlost.plain.mark import Marked, marked
from unlost.settings import Settings
from unlost.snapshot.begun import Begun
from unlost.snapshot.facts import Snapshot

Say = Callable[[str], None]

CHANGES: Final[Mapping[str, str]] = {
    "claims": "unlost.guard.judge",
    "committed": "unlost.guard.committed",
    "evidence": "unlost.plain.evidence",
    "inspection": "unlost.traces.inspection",
}
"""What a tree that changed will need; a tree that did not needs none of it."""


class OpenWorkspace:
    """One work tree, found and opened; close it when done.

    A work tree that was never marked is registered by `mark`; until then there is nothing to restore or to prove.
    """

    def __init__(
        self,
        target: str,
        settings: Settings,
        ledger: Ledger,
        clock: Clock,
        say: Say,
        begun: Begun | None = None,
        *,
        leaving: bool = False,
    ) -> None:
        self._target = target
        self._settings = settings
        self._ledger = ledger
        self._clock = clock
        self._say = say
        self._begun = begun
        self._leaving = leaving
        self._found = find_work_tree(target, settings, clock, new=False)
        self._place: Place | None = None

    @classmethod
    def open(
        cls,
        target: str,
        settings: Settings,
        *,
        say: Say | None = None,
        begun: Begun | None = None,
        leaving: bool = False,
    ) -> Self:
        """The workspace at a folder, at a root that may be gone, or with an id.

        `say` hears what takes long; `begun` is a capture to go on with, closed at the latest with the workspace. Raises
        NotARepository, UsageError, LedgerUnavailable.

        `leaving`: the process ends right after `close`, which then leaves the ledger to that end. What was recorded is
        durable all the same; only to fold it into the file, and wait for the disk four times, is left to a later
        command.
        """
        clock = SystemClock()
        make_state_home(settings.home)
        ledger = open_ledger(settings.ledger, clock)
        try:
            return cls(target, settings, ledger, clock, say or _say_nothing, begun, leaving=leaving)
        except BaseException:
            ledger.close()
            raise

    def close(self) -> None:
        """Let go of files and processes."""
        if self._place is not None:
            self._place.close()
        if self._begun is not None:
            self._begun.close()
        if not self._leaving:
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
                begun=self._begun,
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
        archive = self.place.boundaries.archive
        self._prepare_for_changes()
        snapshot = archive.capture(kind="boundary", label=label)
        taken = self.place.boundaries.take(snapshot, Order(kind=kind, label=label))
        answer = marked(self.place.boundaries, snapshot, taken, seconds=self._clock.monotonic() - started)
        note_boundary(self.place.folder, answer.boundary, answer.open_losses)
        return answer

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

    def _prepare_for_changes(self) -> None:
        """As long as git looks, nothing is gained by waiting for it: import what comes next if it finds changes."""
        for name in CHANGES:
            if self._begun is None or not self._begun.is_looking:
                return
            open_door(CHANGES, name)

    def _capture(self) -> Snapshot | None:
        self._prepare_for_changes()
        return self.place.boundaries.archive.capture(kind="autosave") if self.place.root_is_there else None

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
