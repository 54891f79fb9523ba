"""The workspaces of this machine, as the `unlost workspace` commands see them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from unlost.app.worktree_places import Machine
from unlost.facts.errors import NotARepository, UsageError
from unlost.facts.quoting import clean
from unlost.facts.records import dataclass
from unlost.git.repository import discover
from unlost.host.clock import SystemClock
from unlost.host.environment import user_name
from unlost.host.state_home import make_state_home
from unlost.ledger.protocol import StreamDamaged
from unlost.ledger.registry import open_ledger
from unlost.settings import read_settings
from unlost.snapshot.identity import adopt_named, find, state_of
from unlost.snapshot.registry import Identity, RegistryDamaged, read_row, registered_workspaces
from unlost.workspace.epochs import read_epochs
from unlost.workspace.worktree_events import read_worktree

Say = Callable[[str], None]
"""Told in a few words what takes long."""


@dataclass(frozen=True, kw_only=True)
class ListedWorkspaces:
    """The answer of `workspace list`."""

    rows: tuple[dict[str, Any], ...]

    def to_json(self) -> dict[str, Any]:
        """`unlost.workspaces/1`."""
        return {"schema": "unlost.workspaces/1", "workspaces": list(self.rows)}


@contextmanager
def on_this_machine(environment: Mapping[str, str]) -> Iterator[Machine]:
    """This machine's settings, ledger and clock. Raises LedgerUnavailable, UsageError."""
    settings, clock = read_settings(environment), SystemClock()
    make_state_home(settings.home)
    ledger = open_ledger(settings.ledger, clock)
    try:
        yield Machine(settings=settings, ledger=ledger, clock=clock)
    finally:
        ledger.close()


def holder_at(place: str) -> str:
    """Who asks by hand: the same for the same command, so that asked again it is the same operation."""
    return f"{user_name()} {place}"


def list_workspaces(machine: Machine) -> ListedWorkspaces:
    """Every registered workspace, the one registered last at the end; a damaged row or stream hides no other."""
    found: list[Identity] = []
    for workspace in registered_workspaces(machine.settings.home):
        try:
            row = read_row(machine.settings.home, workspace)
        except RegistryDamaged:
            continue
        if row is not None:
            found.append(row)
    return ListedWorkspaces(
        rows=tuple(_row(machine, each) for each in sorted(found, key=lambda row: row.registered_at))
    )


def settled_elsewhere(home: str, target: str) -> Identity | None:
    """The workspace that lived in the work tree at `target` until it was restored to another root of this machine."""
    try:
        root = discover(target).root
    except NotARepository:
        return None
    for workspace in registered_workspaces(home):
        try:
            row = read_row(home, workspace)
        except RegistryDamaged:
            continue
        if row is not None and row.moved_from == root != row.root and os.path.isdir(row.root):
            return row
    return None


def lives_elsewhere(identity: Identity, command: str) -> UsageError:
    """The error of a command that was typed where this workspace lived before."""
    return UsageError(
        f"{identity.workspace} lived here, and lives at {clean(identity.root, one_line=True)} since it was restored "
        "there; nothing was changed",
        hint=f"unlost -C {shlex.quote(identity.root)} {command}",
    )


def adopt_here(machine: Machine, workspace: str, target: str) -> Identity:
    """Let the work tree at `target` be this workspace, named by the beginning of its id.

    Raises UsageError, NeedsPerson.
    """
    identity = find(machine.settings.home, workspace)
    if identity is None or not identity.workspace.startswith(workspace):
        raise UsageError(f"there is no workspace {workspace}", hint="unlost workspace list")
    return adopt_named(machine.settings.home, identity.workspace, discover(target), machine.clock)


def _row(machine: Machine, identity: Identity) -> dict[str, Any]:
    """One row of the list: contracts.md, with what is at the root and the branch of a worktree beside it."""
    try:
        events = machine.ledger.read(identity.workspace)
        boundary = max((e.facts["number"] for e in events if e.kind == "boundary.taken"), default=None)
        record = read_worktree(machine.ledger, identity.workspace)
        writers = read_epochs(machine.ledger, identity.workspace)
        state: str = "removed" if record is not None and record.removed is not None else state_of(identity)
    except StreamDamaged:
        boundary, record, writers, state = None, None, (), "damaged"
    return {
        "workspace": identity.workspace,
        "root": identity.root,
        "place": writers[-1].place if writers else machine.settings.place,
        "epoch": writers[-1].number if writers else None,
        "boundary": boundary,
        "state": state,
        "branch": None if record is None else record.made.branch,
    }
