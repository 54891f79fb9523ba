"""`unlost status`: what needs a person here, and what happened since they last looked. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from unlost.app.memory import UnitMemory
from unlost.app.news import UnitNews, last_look, news_of_units
from unlost.app.open_workspace import OpenWorkspace
from unlost.app.running import who_runs
from unlost.app.status_line import all_losses, note_claims, note_units
from unlost.app.units import ListedUnit, list_units
from unlost.facts.durations import instant_text
from unlost.facts.errors import WorkLost
from unlost.facts.records import dataclass
from unlost.facts.words import WorkspaceState
from unlost.guard.facts import Boundary
from unlost.host.clock import Clock
from unlost.ledger.protocol import StreamDamaged
from unlost.plain.report import place_json, root_text
from unlost.snapshot.repacking import size_of
from unlost.workspace.worktree_files import WorktreeFiles


@dataclass(frozen=True, kw_only=True)
class Status:
    """A workspace at a glance; `workspace` is None where nothing was ever marked.

    `since` is when this person last looked; `news` are the boundaries taken since then, `happened` is what units did.
    `driven` are the units that are worked on now, `damaged` those whose record cannot be read. `kept` are the bytes
    that its snapshots and caches take on the disk; linked work trees share a store.
    """

    root: str
    state: WorkspaceState
    workspace: str | None = None
    last: Boundary | None = None
    claims: int = 0
    open_losses: int = 0
    units: tuple[ListedUnit, ...] = ()
    driven: frozenset[str] = frozenset()
    damaged: tuple[str, ...] = ()
    since: float | None = None
    news: tuple[Boundary, ...] = ()
    happened: tuple[UnitNews, ...] = ()
    kept: int = 0

    @property
    def exit_code(self) -> int:
        """4 while a loss is open: reading it makes it no less lost; else 0."""
        return WorkLost.exit_code if self.open_losses else 0

    def to_json(self) -> dict[str, Any]:
        """`unlost.status/1`."""
        last = self.last
        return {
            "schema": "unlost.status/1",
            "workspace": self.workspace,
            "root": root_text(self.root),
            "workspace_state": self.state,
            "boundary": None
            if last is None
            else {**place_json(last.number, last.snapshot), "at": instant_text(last.at)},
            "claims": self.claims,
            "open_losses": self.open_losses,
            "units": [unit.document for unit in self.units],
            "damaged": list(self.damaged),
            "since": None if self.since is None else instant_text(self.since),
            "news": [
                {"n": each.number, "at": instant_text(each.at), "kind": each.kind, "snapshot": each.snapshot}
                for each in self.news
            ],
            "happened": [each.to_json() for each in self.happened],
            "driven": sorted(self.driven),
            "bytes": self.kept,
        }


def read_status(workspace: OpenWorkspace, clock: Clock) -> Status:
    """The status now; captures nothing and proves nothing, and draws the line of `status --line` anew."""
    found = workspace.found
    if found.identity is None:
        return Status(root=found.root, state=found.state)
    name, folder, now = found.identity.workspace, workspace.place.folder, clock.now()
    claims = workspace.place.boundaries.claims()
    units, damaged = _units(workspace, name, now)
    since = last_look(folder)
    note_claims(folder, claims)
    note_units(folder, ((unit.id, unit.phase) for unit in units if not unit.over and unit.workspace == name))
    return Status(
        root=found.root,
        state=found.state,
        workspace=name,
        last=claims.last,
        claims=len(claims.by_path),
        open_losses=all_losses(claims),
        units=units,
        driven=frozenset(unit.id for unit in units if not unit.over and _is_driven(folder, unit)),
        damaged=tuple(error.stream for error in damaged),
        since=since,
        news=tuple(each for each in claims.boundaries if since is not None and each.at > since),
        happened=() if since is None else news_of_units(workspace.ledger, _newer(units, since), since),
        kept=size_of(workspace.place.boundaries.archive.layout.store_folder) + size_of(folder),
    )


def _units(workspace: OpenWorkspace, name: str, now: float) -> tuple[tuple[ListedUnit, ...], tuple[StreamDamaged, ...]]:
    """The units of a workspace, then those of the worktrees that were made from it, and the damaged streams."""
    memory = UnitMemory(folder=os.path.join(workspace.place.folder, "units", "remembered"))
    units, damaged = list_units(workspace.ledger, memory, now, workspace=name)
    for each in WorktreeFiles(workspace.place.folder).workspaces():
        more, broken = list_units(workspace.ledger, memory, now, workspace=each)
        units, damaged = units + more, damaged + broken
    return units, damaged


def _is_driven(folder: str, unit: ListedUnit) -> bool:
    """Whether a supervisor or an agent is at work where a unit works; `folder` is that of a workspace beside it."""
    return who_runs(os.path.join(os.path.dirname(folder), unit.workspace)) is not None


def _newer(units: tuple[ListedUnit, ...], since: float) -> Iterator[ListedUnit]:
    """The units that something can have happened in: open ones, and those with a boundary behind that moment."""
    moment = instant_text(since)
    return (unit for unit in units if not unit.over or unit.document["boundaries"][-1]["at"] > moment)
