"""`workspace remove`: a linked work tree goes once nothing is in it alone, and only after it was captured."""

from __future__ import annotations

from typing import Any, Final

from unlost.app.holding import driving
from unlost.app.opening import Place
from unlost.app.units import open_on, read_units
from unlost.app.worktree_places import Machine, crossings_of, present_of_place
from unlost.app.worktrees import kept_trees, worktree_files
from unlost.facts.errors import NeedsPerson, UsageError
from unlost.facts.quoting import path_json, path_text
from unlost.facts.records import dataclass
from unlost.git.call import Git, GitFailed
from unlost.git.refs import delete_refs, list_refs
from unlost.git.repository import Repository, discover, open_repository, refs_of
from unlost.git.worktrees import delete_branch, remove_worktree
from unlost.snapshot.registry import Identity, read_row
from unlost.traces.inspection import Inspection
from unlost.workspace import worktree_events as events
from unlost.workspace.landed import Unlanded, unlanded

_MOST_NAMED: Final = 10


@dataclass(frozen=True, kw_only=True)
class RemovedWorktree:
    """A removed work tree: `snapshot` holds what could be captured of it, `branch` is None when it is gone as well."""

    workspace: str
    snapshot: str
    branch: str | None
    left: Unlanded

    def to_json(self) -> dict[str, Any]:
        """`unlost.remove/1`: `only_there` names what had landed nowhere when it was forced."""
        only_there = sorted({*self.left.uncommitted, *self.left.unpushed})
        return {
            "schema": "unlost.remove/1",
            "workspace": self.workspace,
            "snapshot": self.snapshot,
            "branch": self.branch,
            "only_there": [path_json(path) for path in only_there],
            "not_captured": [path_json(path) for path in self.left.unread],
        }


def remove_made_worktree(machine: Machine, name: str, *, here: str = "", force: bool = False) -> RemovedWorktree:
    """Remove a work tree's folder, and its branch when another ref reaches all its commits.

    Raises NeedsPerson naming what is only there (with `force` that is told instead), TryLater while a unit is driven
    in it. Its snapshots stay until they outlive their time.
    """
    identity, record = machine.worktree(name, here=here)
    if record.removed is not None:
        raise UsageError(f"{identity.workspace} was removed before; unlost --workspace {identity.workspace} snapshots")
    with machine.opened(identity.workspace) as place, driving(place.folder, machine.ledger, identity.workspace):
        _refuse_open_units(machine, identity, force=force)
        theirs = present_of_place(place, "before remove")
        repository = _repository(machine, identity, record)
        head_is_safe = is_reached(machine, repository, theirs.surroundings.head, record.made.branch)
        left = unlanded(
            crossings_of(record),
            theirs,
            _source_tree(machine, record),
            place.boundaries.trees,
            head_is_safe=head_is_safe,
        )
        if left and not force:
            raise _refusal(identity, left)
        stays = _remove(machine, identity, record, repository, place)
        removed = events.WorktreeRemoved(snapshot=theirs.id, forced=force, branch_stays=stays)
        events.append(machine.ledger, identity.workspace, removed, key="removed")
    branch = record.made.branch if stays else None
    return RemovedWorktree(workspace=identity.workspace, snapshot=theirs.id, branch=branch, left=left)


def is_reached(machine: Machine, repository: Repository, commit: str | None, branch: str) -> bool:
    """Whether another ref than this branch reaches a commit, a remote-tracking one included."""
    if commit is None:
        return True
    others = {oid for ref, oid in refs_of(repository).items() if ref != f"refs/heads/{branch}"}
    with Inspection(repository, scratch=machine.scratch) as look:
        # In the work tree itself HEAD is the commit in question, and proves nothing.
        if look.head is not None and look.branch != f"refs/heads/{branch}":
            others.add(look.head)
        lines = "".join(f"{line}\n" for line in (commit, *(f"^{oid}" for oid in sorted(others))))
        try:
            found = look.git.run("rev-list", "--max-count=1", "--ignore-missing", "--stdin", stdin=lines.encode())
        except GitFailed:
            return False
    return not found.strip()


def _remove(
    machine: Machine, identity: Identity, record: events.WorktreeRecord, repository: Repository, place: Place
) -> bool:
    """Remove folder, branch and notes; whether the branch stays, because only it reaches some of its commits."""
    layout, branch = place.boundaries.archive.layout, record.made.branch
    files = worktree_files(machine.settings, record.made.source)
    with files.lock():
        remove_worktree(repository, identity.root, home=layout.home)
        tip = refs_of(repository).get(f"refs/heads/{branch}")
        goes = tip is not None and is_reached(machine, repository, tip, branch)
        if tip is not None and goes:
            delete_branch(repository, branch, commit=tip, home=layout.home)
        files.drop(record.made.name)
    delete_refs(Git(layout.store, home=layout.home), list_refs(layout.store, kept_trees(identity.workspace)))
    return tip is not None and not goes


def _refuse_open_units(machine: Machine, identity: Identity, *, force: bool) -> None:
    open_units = [state.unit for state in open_on(read_units(machine.ledger, workspace=identity.workspace))]
    if open_units and not force:
        raise NeedsPerson(
            f"{', '.join(open_units)} is open in this worktree; nothing was removed",
            hint=f"unlost --workspace {identity.workspace} stop {open_units[0]}",
        )


def _source_tree(machine: Machine, record: events.WorktreeRecord) -> str | None:
    with machine.opened(record.made.source) as source:
        return present_of_place(source, "before remove").tree if source.root_is_there else None


def _repository(machine: Machine, identity: Identity, record: events.WorktreeRecord) -> Repository:
    source = read_row(machine.settings.home, record.made.source)
    return open_repository(source.root) if source is not None else discover(identity.root)


def _refusal(identity: Identity, left: Unlanded) -> NeedsPerson:
    lines = [
        f"  {path_text(path)}  {word}"
        for word, paths in (
            ("uncommitted", left.uncommitted),
            ("only in its own commits", left.unpushed),
            ("cannot be captured", left.unread),
        )
        for path in paths
    ]
    more = len(lines) - _MOST_NAMED
    shown = [*lines[:_MOST_NAMED], *([f"  … and {more:,} more"] if more > 0 else [])]
    return NeedsPerson(
        f"{identity.workspace} holds what is nowhere else; nothing was removed\n" + "\n".join(shown),
        hint=f"unlost workspace apply {identity.workspace}, or --force: it is captured first",
    )
