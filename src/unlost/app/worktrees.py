"""A linked work tree of its own for a run: made beside the repository, registered, set up; or found again by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Final

from unlost.app.moving import receive_receipt
from unlost.app.opening import find_work_tree, open_place
from unlost.app.worktree_places import Machine
from unlost.facts.errors import NeedsPerson, UnlostError, UsageError
from unlost.facts.records import dataclass, replace
from unlost.git.call import GitFailed
from unlost.git.refs import create_ref, is_oid, read_ref
from unlost.git.repository import Repository, open_repository, refs_of
from unlost.git.worktrees import add_worktree, delete_branch, remove_worktree
from unlost.host.clock import Clock
from unlost.host.crash import crash_point
from unlost.host.environment import passed_environment
from unlost.host.ids import new_id
from unlost.ledger.protocol import Ledger
from unlost.settings import Settings
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.identity import register
from unlost.snapshot.registry import read_row
from unlost.snapshot.whereabouts import workspace_folder
from unlost.workspace import worktree_events as events
from unlost.workspace.facts import Location
from unlost.workspace.worktree_files import Planned, WorktreeFiles
from unlost.workspace.worktree_names import branch_of, check_name, folder_of, name_for
from unlost.workspace.worktree_setup import SetupFailed, run_setup
from unlost.workspace.worktree_tree import fill_worktree

CRASH_POINTS: Final = ("worktree.planned", "worktree.added", "worktree.filled", "worktree.registered")
"""Where a test may kill the making of a work tree; the next run under the same name finishes it."""

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class Worktree:
    """A linked work tree that a run can use.

    `ignored` counts the ignored files that came along, `left_behind` the uncommitted paths of the source that did not.
    """

    workspace: str
    root: str
    name: str
    branch: str
    is_new: bool
    ignored: int = 0
    left_behind: int = 0


def worktree_for(
    target: str,
    settings: Settings,
    ledger: Ledger,
    clock: Clock,
    *,
    name: str | None,
    title: str,
    setup: Sequence[tuple[str, ...]] = (),
    say: Say,
) -> Worktree:
    """The linked work tree of this name, made when there is none; without a name a new one, called after `title`.

    `target` is the repository that it comes from. Raises UsageError, NeedsPerson, SetupFailed, GitFailed.
    """
    found = find_work_tree(target, settings, clock, new=True)
    if found.repository is None or found.identity is None:
        raise UsageError("a worktree is made beside a repository, and here is none", hint="git init")
    place = open_place(found, settings, ledger, clock, running=lambda: None, say=say)
    try:
        making = _Making(found.repository, place.boundaries.archive, settings, ledger, clock)
        files = WorktreeFiles(place.folder)
        with files.lock():
            made = making.found_or_made(files, name, title)
    finally:
        place.close()
    if made.is_new:
        here = Location(place=settings.place, root=made.root)
        receive_receipt(Machine(settings=settings, ledger=ledger, clock=clock), made.workspace, here, None, say)
    _set_up(ledger, made, setup, say)
    return made


def names_source(ledger: Ledger, workspace: str) -> str | None:
    """The workspace that a linked work tree of unlost's was made from; None for any other workspace."""
    record = events.read_worktree(ledger, workspace)
    return None if record is None else record.made.source


class _Making:
    """One making: what it comes from, and where it is recorded."""

    def __init__(
        self, repository: Repository, archive: Archive, settings: Settings, ledger: Ledger, clock: Clock
    ) -> None:
        self._repository = repository
        self._archive = archive
        self._settings = settings
        self._ledger = ledger
        self._clock = clock

    def found_or_made(self, files: WorktreeFiles, name: str | None, title: str) -> Worktree:
        """Find it by its name, or make it."""
        if name is None:
            name = name_for(title, lambda each: files.is_taken(each) or self._is_used(each))
        planned = files.read(check_name(name))
        if planned is not None and planned.workspace is not None:
            return self._again(planned)
        if planned is not None:
            self._take_back(planned)
        elif self._is_used(name):
            raise UsageError(
                f"the branch {branch_of(name)} or a folder of that name is there already, and is not unlost's",
                hint="give another name: --worktree=NAME",
            )
        return self._make(files, name)

    def _again(self, planned: Planned) -> Worktree:
        workspace = planned.workspace or ""
        row = read_row(self._settings.home, workspace)
        record = events.read_worktree(self._ledger, workspace)
        if row is None or record is None or not os.path.isdir(row.root):
            raise NeedsPerson(
                f"the worktree {planned.name} is not where it was; nothing was started",
                hint=f"unlost workspace adopt {workspace} where it is now, or unlost workspace remove {workspace}",
            )
        return Worktree(workspace=workspace, root=row.root, name=planned.name, branch=record.made.branch, is_new=False)

    def _make(self, files: WorktreeFiles, name: str) -> Worktree:
        snapshot = self._archive.capture(kind="autosave")
        commit, branch = snapshot.surroundings.head, branch_of(name)
        if commit is None:
            raise UsageError("nothing is committed here yet; a worktree begins at a commit", hint="git commit")
        planned = Planned(name=name, root=folder_of(self._repository.root, name), commit=commit)
        files.write(planned)
        crash_point("worktree.planned")
        try:
            ignored = self._add(planned, branch, snapshot)
        except (GitFailed, OSError, ValueError) as error:
            self._take_back(planned)
            files.drop(name)
            words = error.message if isinstance(error, UnlostError) else str(error)
            raise UnlostError(f"the worktree {planned.root} cannot be made: {words}; nothing was started") from error
        worktree = register(self._settings.home, open_repository(planned.root), self._clock, new_id)
        crash_point("worktree.registered")
        made = events.WorktreeMade(
            source=self._archive.layout.workspace, name=name, branch=branch, commit=commit, tree=snapshot.base
        )
        keep_tree(self._archive.layout.store, worktree.workspace, snapshot.base)
        events.append(self._ledger, worktree.workspace, made, key="made")
        files.write(replace(planned, workspace=worktree.workspace))
        return Worktree(
            workspace=worktree.workspace,
            root=worktree.root,
            name=name,
            branch=branch,
            is_new=True,
            ignored=ignored,
            left_behind=len(self._archive.changes(snapshot.base, snapshot.tree)),
        )

    def _add(self, planned: Planned, branch: str, snapshot: Snapshot) -> int:
        home = self._archive.layout.home
        add_worktree(self._repository, planned.root, branch=branch, commit=planned.commit, home=home)
        crash_point("worktree.added")
        worktree = open_repository(planned.root)
        ignored = fill_worktree(self._archive, snapshot, layout=self._archive.layout, worktree=worktree)
        crash_point("worktree.filled")
        return ignored

    def _take_back(self, planned: Planned) -> None:
        """Remove what a making of this name left: only a linked work tree of this repository at the planned root."""
        home, branch = self._archive.layout.home, branch_of(planned.name)
        if os.path.lexists(planned.root):
            remove_worktree(self._repository, planned.root, home=home)
        if refs_of(self._repository).get(f"refs/heads/{branch}") == planned.commit:
            delete_branch(self._repository, branch, commit=planned.commit, home=home)

    def _is_used(self, name: str) -> bool:
        refs = refs_of(self._repository)
        return f"refs/heads/{branch_of(name)}" in refs or os.path.lexists(folder_of(self._repository.root, name))


def keep_tree(store: str, workspace: str, tree: str) -> None:
    """Keep a tree that a later apply compares with, however old its snapshot gets."""
    name = f"{kept_trees(workspace)}/{tree}"
    if is_oid(tree) and read_ref(store, name) is None:
        create_ref(store, name, tree, durable=True)


def kept_trees(workspace: str) -> str:
    """Prefix of the refs that `keep_tree` makes."""
    return f"refs/landing/{workspace}"


def _set_up(ledger: Ledger, made: Worktree, setup: Sequence[tuple[str, ...]], say: Say) -> None:
    """Run the setup unless it ran to its end before."""
    record = events.read_worktree(ledger, made.workspace)
    if not setup or record is None or record.is_set_up:
        return
    try:
        run_setup(setup, root=made.root, env=passed_environment(), say=say)
    except SetupFailed as error:
        raise SetupFailed(
            f"{error.message}\nthe worktree {made.root} stands, and no agent was started",
            hint=f"mend it and run again with --worktree={made.name}, or unlost workspace remove {made.workspace}",
        ) from error
    events.append(ledger, made.workspace, events.WorktreeSetUp(commands=len(setup)), key="set up")


def worktree_files(settings: Settings, source: str) -> WorktreeFiles:
    """The names of the work trees that were made from a workspace."""
    return WorktreeFiles(workspace_folder(settings.home, source))
