"""Which workspace is this? Found by its root; known again when it moved; told apart when it was replaced.

A workspace is forgotten only when a person says so: another git dir with the same history keeps its id, because
its open losses must not be buried by a new clone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from unlost.facts.errors import NeedsPerson, UsageError
from unlost.facts.records import replace
from unlost.facts.words import WorkspaceState
from unlost.git.holding import holds_object
from unlost.git.repository import Repository, head_of, locate_git_dir
from unlost.host.clock import Clock
from unlost.host.ids import NewId
from unlost.snapshot.registry import (
    CameBy,
    FolderTraits,
    Identity,
    RegistryDamaged,
    drop_index,
    drop_row,
    new_store_name,
    read_row,
    registered_workspaces,
    registry_lock,
    write_row,
)
from unlost.snapshot.whereabouts import workspace_of

_KIND: Final = "w"


def register(home: str, repository: Repository, clock: Clock, new_id: NewId) -> Identity:
    """The workspace of a repository, made when it has none; the row then holds it as it is now.

    Safe to call from several processes at once. `came_by` of the answer tells what was found.
    """
    seen = _seen(repository, clock)
    known = find(home, repository.root)
    if known is not None and known == _as_row(seen, known):
        return known
    with registry_lock(home):
        identity = _recognised(home, seen) or _newcomer(home, seen, new_id(_KIND))
        write_row(home, identity)
    return identity


def adopt_moved(home: str, repository: Repository, clock: Clock) -> Identity | None:
    """The workspace of a repository that is registered here or moved here; None when it is a stranger."""
    seen = _seen(repository, clock)
    with registry_lock(home):
        identity = _recognised(home, seen)
        if identity is not None:
            write_row(home, identity)
    return identity


def adopt_named(home: str, workspace: str, repository: Repository, clock: Clock) -> Identity:
    """Let a work tree be a workspace that a person names, wherever that one was before.

    For a root whose folders are new, too (another disk, a copy whose origin is gone). Raises UsageError when there is
    no such workspace, NeedsPerson when it is still at its old root, when its history is not here, or when this root is
    another workspace; then nothing was changed.
    """
    seen = _seen(repository, clock)
    with registry_lock(home):
        row = read_row(home, workspace)
        if row is None:
            raise UsageError(f"there is no workspace {workspace}", hint="unlost workspace list")
        here = find(home, seen.root)
        if here is not None and here.workspace != workspace:
            raise NeedsPerson(
                f"this root is the workspace {here.workspace}; nothing was changed",
                hint=f"unlost forget {here.workspace}, if its record may go, then adopt again",
            )
        if row.root != seen.root and state_of(row) == "present":
            raise NeedsPerson(
                f"{workspace} is still at its old root; what is here is a copy, and nothing was changed",
                hint="unlost mark registers a copy as a workspace of its own",
            )
        if not _knows_head(seen.common_dir, row.head):
            raise NeedsPerson(f"the history of {workspace} is not in this repository; nothing was changed")
        return _settled(home, row, seen)


def settle_at(home: str, workspace: str, repository: Repository, clock: Clock, *, store: str) -> Identity:
    """Let a root that was just made for a workspace be where it lives; `store` is for one that is new on this machine.

    What else the registry had at this root, or this workspace elsewhere, is let go. Only for whoever holds the
    workspace's newest epoch.
    """
    seen = _seen(repository, clock)
    with registry_lock(home):
        row = read_row(home, workspace) or replace(seen, workspace=workspace, store=store)
        return _settled(home, row, seen)


def find(home: str, target: str) -> Identity | None:
    """A registered workspace by its id, an unambiguous beginning of it, or its root (which may be gone)."""
    beginning = f"{_KIND}-"
    if target.startswith(beginning) and target != beginning and os.sep not in target:
        matching = [workspace for workspace in registered_workspaces(home) if workspace.startswith(target)]
        return read_row(home, matching[0]) if len(matching) == 1 else None
    root = os.path.realpath(target)
    workspace = workspace_of(home, root)
    identity = None if workspace is None else read_row(home, workspace)
    if identity is not None and identity.root == root:
        return identity
    # An index that is gone or damaged must not hide a workspace whose row still names this root.
    there = (row for row in _rows(home) if row.root == root)
    return max(there, key=lambda row: row.registered_at, default=None)


def sharing_store(home: str, store: str) -> tuple[Identity, ...]:
    """Every workspace that keeps its snapshots in one store."""
    return tuple(row for row in _rows(home) if row.store == store)


def state_of(identity: Identity) -> WorkspaceState:
    """What is at a workspace's root now; `moved` only in the answer that just found it at its new place."""
    if identity.came_by == "moved":
        return "moved"
    if not os.path.isdir(identity.root):
        return "missing"
    git_dir = locate_git_dir(identity.root)
    if git_dir is None:
        return "not_a_repository"
    if traits_of_folder(git_dir) != identity.git_traits:
        return "replaced"
    return "present" if _knows_head(identity.common_dir, identity.head) else "replaced"


def forget(home: str, identity: Identity) -> None:
    """Forget a workspace: its row, caches and journals. What its store holds is for `retention` to let go."""
    with registry_lock(home):
        drop_row(home, identity)


def traits_of_folder(path: str) -> FolderTraits:
    """The traits of an existing folder."""
    status = os.stat(path)
    birth = getattr(status, "st_birthtime_ns", None) or getattr(status, "st_birthtime", None)
    if isinstance(birth, float):
        birth = round(birth * 1e9)
    return FolderTraits(status.st_dev, status.st_ino, birth)


def _settled(home: str, row: Identity, seen: Identity) -> Identity:
    """The row of a workspace moved to what was seen, and written. The caller holds the registry's lock."""
    if row.root != seen.root:
        drop_index(home, row.root, row.workspace)
    moved_from = row.moved_from if row.root == seen.root else row.root
    identity = replace(_as_row(seen, row), moved_from=moved_from)
    write_row(home, identity)
    return identity


def _seen(repository: Repository, clock: Clock) -> Identity:
    """A repository as a row would hold it, without an id and a store."""
    return Identity(
        workspace="",
        root=repository.root,
        git_dir=repository.git_dir,
        common_dir=repository.common_dir,
        store="",
        root_traits=traits_of_folder(repository.root),
        git_traits=traits_of_folder(repository.git_dir),
        head=head_of(repository).oid,
        registered_at=clock.now(),
        came_by="new",
    )


def _recognised(home: str, seen: Identity) -> Identity | None:
    """The row that a repository belongs to, brought up to date; None for one that is new here."""
    at_root = find(home, seen.root)
    if at_root is not None and at_root.git_traits == seen.git_traits:
        return replace(_as_row(seen, at_root), came_by="known")
    if at_root is not None and at_root.head is not None and _knows_head(seen.common_dir, at_root.head):
        return replace(_as_row(seen, at_root), came_by="renewed")
    for row in _rows(home):
        if _has_moved_to(row, seen):
            drop_index(home, row.root, row.workspace)
            return replace(_as_row(seen, row), moved_from=row.root, came_by="moved")
    return None


def _rows(home: str) -> Iterator[Identity]:
    """Every row that can be read: damage to one must not keep another workspace from its work."""
    for workspace in registered_workspaces(home):
        try:
            row = read_row(home, workspace)
        except RegistryDamaged:
            continue
        if row is not None:
            yield row


def _has_moved_to(row: Identity, seen: Identity) -> bool:
    """Whether a row's work tree is the one seen at another root: same folders, history known, old place empty."""
    if (row.root_traits, row.git_traits) != (seen.root_traits, seen.git_traits):
        return False
    if not _knows_head(seen.common_dir, row.head):
        return False
    # The same folder at two places (a bind mount) is two workspaces.
    return not (os.path.isdir(row.root) and traits_of_folder(row.root) == row.root_traits)


def _as_row(seen: Identity, row: Identity) -> Identity:
    """What was seen, as the newest state of a row."""
    return replace(
        seen,
        workspace=row.workspace,
        store=row.store,
        registered_at=row.registered_at,
        moved_from=row.moved_from,
        came_by="known",
    )


def _newcomer(home: str, seen: Identity, workspace: str) -> Identity:
    """The row of a repository that is no known workspace; the store is that of its other work trees, if any."""
    rows = list(_rows(home))
    kin = (row.store for row in rows if row.common_dir == seen.common_dir and _knows_head(row.common_dir, row.head))
    store = next(kin, None)
    if store is None:
        store = new_store_name(seen.common_dir)
        if any(row.store == store for row in rows):
            # Another repository was here: it moved and took its store with it, or its snapshots wait in it.
            store = new_store_name(seen.common_dir, workspace)
    return replace(seen, workspace=workspace, store=store, came_by=_came_by(home, seen))


def _came_by(home: str, seen: Identity) -> CameBy:
    return "new" if find(home, seen.root) is None else "replaced"


def _knows_head(common_dir: str, head: str | None) -> bool:
    return head is None or holds_object(common_dir, head)
