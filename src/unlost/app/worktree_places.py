"""The linked work trees that unlost made, as commands find and open them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from unlost.facts.errors import UsageError
from unlost.facts.records import dataclass
from unlost.host.clock import Clock
from unlost.host.doors import open_door
from unlost.ledger.protocol import Ledger
from unlost.settings import Settings
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.identity import find
from unlost.snapshot.registry import Identity, read_row, registered_workspaces
from unlost.workspace.three_way import Crossing
from unlost.workspace.worktree_events import WorktreeRecord, read_worktree

if TYPE_CHECKING:
    from unlost.app.opening import Place

OPENING: Final[Mapping[str, str]] = {"workspaces": "unlost.app.opening"}
"""What finds and opens a workspace; opened by those commands that need one open."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What every look at the workspaces of this machine needs."""

    settings: Settings
    ledger: Ledger
    clock: Clock

    @property
    def scratch(self) -> str:
        """The folder for what is thrown away at once."""
        return f"{self.settings.home}/scratch"

    @contextmanager
    def opened(self, workspace: str) -> Iterator[Place]:
        """A registered workspace with everything open; interrupted restores in it are settled."""
        opening = open_door(OPENING, "workspaces")
        found = opening.find_work_tree(workspace, self.settings, self.clock, new=False)
        place: Place = opening.open_place(
            found, self.settings, self.ledger, self.clock, running=lambda: None, say=lambda _: None
        )
        try:
            place.settle_restores()
            yield place
        finally:
            place.close()

    def worktree(self, name: str, *, here: str = "") -> tuple[Identity, WorktreeRecord]:
        """The linked work tree of an id, a root, or a name that `run --worktree` gave it, with its record.

        Of several with one name, the one made from the work tree at `here`. Raises UsageError when it is none of
        unlost's.
        """
        home = self.settings.home
        identity = find(home, name) or self._by_name(name, here)
        if identity is None:
            raise UsageError(f"there is no workspace {name}", hint="unlost workspace list")
        record = read_worktree(self.ledger, identity.workspace)
        if record is None:
            raise UsageError(
                f"{identity.workspace} is no worktree of unlost's; nothing was changed",
                hint="git merge, or git worktree remove, for one that you made yourself",
            )
        return identity, record

    def _by_name(self, name: str, here: str) -> Identity | None:
        home, found = self.settings.home, list[tuple[str, str]]()
        for workspace in registered_workspaces(home):
            record = read_worktree(self.ledger, workspace)
            if record is not None and record.made.name == name and record.removed is None:
                found.append((workspace, record.made.source))
        if len(found) > 1:
            source = (
                open_door(OPENING, "workspaces").find_work_tree(here, self.settings, self.clock, new=False).identity
            )
            found = [each for each in found if source is not None and each[1] == source.workspace]
        return read_row(home, found[0][0]) if len(found) == 1 else None


def present_of_place(place: Place, label: str) -> Snapshot:
    """The tree as it is, captured now, or as it was last captured when the root is gone. Raises UsageError."""
    archive = place.boundaries.archive
    found = archive.capture(kind="kept", label=label) if place.root_is_there else archive.latest()
    if found is None:
        raise UsageError(f"{place.identity.workspace} is gone and was never captured; there is nothing of it")
    return found


def crossings_of(record: WorktreeRecord) -> tuple[Crossing, ...]:
    """The trees that were on both sides once: what the work tree was made with, and what each apply took."""
    applied = (Crossing(tree=each.tree, refused=each.refused) for each in record.applied)
    return (Crossing(tree=record.made.tree), *applied)
