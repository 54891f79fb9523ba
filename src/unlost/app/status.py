"""`unlost status`: what needs a person here, and what happened since they last looked. Standard library only."""

from __future__ import annotations

import json
import os
from typing import Any, Final

from unlost.app.keeper import Keeper
from unlost.app.memory import UnitMemory
from unlost.app.units import ListedUnit, list_units
from unlost.facts.durations import instant_text
from unlost.facts.records import dataclass
from unlost.facts.words import WorkspaceState
from unlost.guard.facts import Boundary
from unlost.host.clock import Clock
from unlost.host.reading import read_regular, write_atomically
from unlost.ledger.protocol import StreamDamaged
from unlost.plain.report import place_json, root_text
from unlost.snapshot.repacking import size_of
from unlost.workspace.worktree_files import WorktreeFiles

_LOOKED: Final = "looked.json"
_LARGEST: Final = 1 << 12


@dataclass(frozen=True, kw_only=True)
class Status:
    """A workspace at a glance; `workspace` is None where nothing was ever marked.

    `since` is when a person last looked, `news` are the boundaries taken since then. `damaged` names the units whose
    record cannot be read. `kept` are the bytes that its snapshots and caches take on the disk; linked work trees share
    a store.
    """

    root: str
    state: WorkspaceState
    workspace: str | None = None
    last: Boundary | None = None
    claims: int = 0
    open_losses: int = 0
    units: tuple[ListedUnit, ...] = ()
    damaged: tuple[str, ...] = ()
    since: float | None = None
    news: tuple[Boundary, ...] = ()
    kept: int = 0

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
            "bytes": self.kept,
        }


def read_status(workspace: Keeper, clock: Clock) -> Status:
    """The status now; captures nothing and proves nothing. Remembers that a person looked."""
    found = workspace.found
    if found.identity is None:
        return Status(root=found.root, state=found.state)
    name = found.identity.workspace
    claims = workspace.place.boundaries.claims()
    units, damaged = _units(workspace, name, clock.now())
    since = _look(workspace.place.folder, clock.now())
    return Status(
        root=found.root,
        state=found.state,
        workspace=name,
        last=claims.last,
        claims=len(claims.by_path),
        open_losses=claims.open_losses + len(claims.lost_commits) + len(claims.lost_stashes),
        units=units,
        damaged=tuple(error.stream for error in damaged),
        since=since,
        news=tuple(each for each in claims.boundaries if since is not None and each.at > since),
        kept=size_of(workspace.place.boundaries.archive.layout.store_folder) + size_of(workspace.place.folder),
    )


def _units(workspace: Keeper, name: str, now: float) -> tuple[tuple[ListedUnit, ...], tuple[StreamDamaged, ...]]:
    """The units of a workspace, then those of the worktrees that were made from it, and the damaged streams."""
    memory = UnitMemory(folder=os.path.join(workspace.place.folder, "units", "remembered"))
    units, damaged = list_units(workspace.ledger, memory, now, workspace=name)
    for each in WorktreeFiles(workspace.place.folder).workspaces():
        more, broken = list_units(workspace.ledger, memory, now, workspace=each)
        units, damaged = units + more, damaged + broken
    return units, damaged


def _look(folder: str, now: float) -> float | None:
    """When a person last looked, and from now on now; None for the first time."""
    path = os.path.join(folder, _LOOKED)
    data = read_regular(path, _LARGEST)
    write_atomically(path, json.dumps({"at": now}).encode("ascii"))
    try:
        at = None if data is None else json.loads(data)["at"]
    except (ValueError, KeyError, TypeError):
        # A damaged note costs only the news of one look.
        return None
    return float(at) if isinstance(at, int | float) else None
