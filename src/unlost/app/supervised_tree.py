"""The work tree that a supervisor is about: found, opened when it is needed, left for another that a unit works in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unlost.app.holding import driving
from unlost.app.opening import Found, find_work_tree
from unlost.app.units import find_unit
from unlost.app.watching import Workplace, open_workplace
from unlost.app.worktrees import names_source
from unlost.app.writers import become_writer
from unlost.engine.stream import UnitStream
from unlost.facts.errors import UsageError
from unlost.host.clock import Clock
from unlost.ledger.protocol import Ledger
from unlost.settings import Settings
from unlost.snapshot.identity import find
from unlost.workspace.epochs import Epoch
from unlost.workspace.facts import Location


class SupervisedTree:
    """One work tree at a time; close it when done.

    `target` is how it was named, `driven` its folder in the state home while it is held as its one supervisor.
    """

    def __init__(self, target: str, settings: Settings, ledger: Ledger, clock: Clock) -> None:
        self._settings = settings
        self._ledger = ledger
        self._clock = clock
        self._found = find_work_tree(target, settings, clock, new=False)
        self.target = target
        self._opened: Workplace | None = None
        self._abroad: str | None = None
        self.driven: str | None = None

    def close(self) -> None:
        """Let go of files and processes."""
        if self._opened is not None:
            self._opened.close()

    @property
    def root(self) -> str:
        """Where it is."""
        return self._found.root

    @property
    def place(self) -> Workplace:
        """The registered workspace with everything open. Raises UsageError when it is not registered."""
        if self._abroad is not None:
            raise UsageError(
                f"{self._abroad} works in a workspace that is not on this machine; nothing was started",
                hint="unlost status, where it was started",
            )
        if self._opened is None:
            self._opened = open_workplace(self._found, self._settings, self._ledger, self._clock)
        return self._opened

    @property
    def here(self) -> Location:
        """The place and root that its writers are known by."""
        return Location(place=self._settings.place, root=self.place.root)

    @property
    def is_worktree(self) -> bool:
        """Whether it is a linked work tree that unlost made for a unit."""
        identity = self._found.identity
        return identity is not None and names_source(self._ledger, identity.workspace) is not None

    def holds(self, workspace: str) -> bool:
        """Whether it is this workspace."""
        return self._found.identity is not None and self._found.identity.workspace == workspace

    def find(self, unit: str | None) -> str:
        """The id of the unit that is meant (see `find_unit`).

        A named one may work in another work tree of this machine (a worktree of its own): this is about that one then.
        """
        here = "" if self._found.identity is None else self._found.identity.workspace
        name = find_unit(self._ledger, unit, workspace=here, now=self._clock.now())
        there = UnitStream(self._ledger, name).state.workspace if unit is not None else here
        if there != here:
            if find(self._settings.home, there) is None:
                self._abroad = name
            else:
                self.turn_to(there, find_work_tree(there, self._settings, self._clock, new=False))
        return name

    def turn_to(self, target: str, found: Found) -> None:
        """Be about another work tree from now on."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        self.target, self._found, self._abroad = target, found, None

    def register(self) -> None:
        """Register the workspace, unless it is."""
        if self._found.identity is None:
            self._found = find_work_tree(self.target, self._settings, self._clock, new=True)

    def open_to_admit(self) -> None:
        """Open the workspace anew, under the rules in its tree: the admission boundary will hold that very file."""
        self.place.close()
        self._opened = open_workplace(self._found, self._settings, self._ledger, self._clock, admitting=True)

    def become_writer(self) -> Epoch:
        """Overtake every earlier writer; the boundaries of this one are refused as well, once it is overtaken."""
        writer = become_writer(self._ledger, self.place.workspace, self.here)
        self.place.place.boundaries.record.fence = writer.fence
        return writer

    @contextmanager
    def driving(self) -> Iterator[None]:
        """Hold the workspace as its one supervisor. Raises TryLater naming who holds it."""
        with driving(self.place.folder, self._ledger, self.place.workspace):
            self.driven = self.place.folder
            try:
                yield
            finally:
                self.driven = None
