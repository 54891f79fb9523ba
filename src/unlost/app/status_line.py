"""The one small file behind `status --line`: kept up to date by whoever changes what it tells, read in no time.

    workspaces/<workspace>/line      boundary 3
                                     1 loss
                                     u-3f9c2a7b1d04 blocked

A line each for the last boundary, the open losses (empty for none) and every open unit. It is a picture, no record:
one that is missing or old costs nothing but a look at `unlost status`, which draws it anew. Imports little on purpose.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from unlost.facts.errors import TryLater, UnlostError
from unlost.git.repository import discover
from unlost.guard.late_claims import tally_of
from unlost.host.locks import FileLock
from unlost.host.reading import read_regular, write_atomically
from unlost.settings import state_home
from unlost.snapshot.whereabouts import workspace_folder, workspace_of

if TYPE_CHECKING:
    from unlost.guard.facts import Claims

LONGEST: Final = 60
"""Characters of the line."""

_FILE: Final = "line"
_LARGEST: Final = 1 << 14
_PATIENCE: Final = 0.5


def line_at(folder: str, environment: Mapping[str, str]) -> str:
    """The line of the work tree around a folder: at most 60 characters; empty where there is no work tree."""
    try:
        root = discover(os.path.abspath(folder)).root
        home = state_home(environment)
        workspace = workspace_of(home, root)
        told = None if workspace is None else _read(workspace_folder(home, workspace))
    except (OSError, UnlostError, ValueError):
        return ""
    line = " · ".join(part for part in told or ("no boundary",) if part)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def note_boundary(folder: str, number: int, losses: int) -> None:
    """Note a boundary of the workspace that `folder` belongs to, and how many losses are open."""
    lost = "" if not losses else "1 loss" if losses == 1 else f"{losses} losses"
    _redraw(folder, lambda known: (f"boundary {number}", lost, *known[2:]))


def note_claims(folder: str, claims: Claims) -> None:
    """Note the last boundary and every open loss, commits and stash entries among them."""
    if claims.last is not None:
        note_boundary(folder, claims.last.number, all_losses(claims))


def all_losses(claims: Claims) -> int:
    """How many losses are open: paths, commits and stash entries."""
    return tally_of(claims.by_path).open_losses + len(claims.lost_commits) + len(claims.lost_stashes)


def note_units(folder: str, units: Iterable[tuple[str, str]]) -> None:
    """Note every open unit of the workspace, as (id, phase); no other is open."""
    told = tuple(f"{unit} {phase}" for unit, phase in units)
    _redraw(folder, lambda known: (*known[:2], *told))


def note_unit(folder: str, unit: str, phase: str | None) -> None:
    """Note the phase of one unit, None when it is over; the others stay as they are."""
    told = () if phase is None else (f"{unit} {phase}",)
    _redraw(folder, lambda known: (*known[:2], *(line for line in known[2:] if not line.startswith(unit)), *told))


def _redraw(folder: str, change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> None:
    """Change a part of the picture and leave the rest, whoever else changes it at this moment. Never raises."""
    try:
        with _locked(folder):
            known = _read(folder) or ("", "")
            drawn = change(known)
            if drawn != known:
                write_atomically(os.path.join(folder, _FILE), "\n".join(drawn).encode("utf-8"))
    except (OSError, TryLater):
        # A picture that is a moment old must not fail a boundary that is on record.
        return


def _locked(folder: str) -> FileLock:
    lock = FileLock(os.path.join(folder, f"{_FILE}.lock"))
    lock.acquire(wait=_PATIENCE)
    return lock


def _read(folder: str) -> tuple[str, ...] | None:
    data = read_regular(os.path.join(folder, _FILE), _LARGEST)
    return None if data is None else tuple(data.decode("utf-8", "replace").split("\n"))
