"""The registry of workspaces on this machine: one row a workspace, and an index from root to workspace.

    HOME/workspaces/<workspace>/identity.json     the row
    HOME/workspaces/<workspace>/journals/         restores under way
    HOME/roots/<sha256 of the root, 32 digits>    the workspace whose root this is
    HOME/stores/<16 hex digits>/                  what the work trees of one repository share

Every file is replaced whole, so readers need no lock; who writes holds `registry_lock`.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from unlost.facts.errors import UnlostError
from unlost.facts.quoting import canonical_json, path_from_json, path_json
from unlost.facts.records import dataclass, field
from unlost.host.folders import Folder
from unlost.host.locks import FileLock
from unlost.host.reading import read_regular, write_atomically
from unlost.host.writing import remove_name, remove_tree
from unlost.snapshot.whereabouts import index_file, workspace_folder, workspace_of

CameBy = Literal["known", "new", "moved", "renewed", "replaced"]
_LARGEST: Final = 1 << 20
_ROW: Final = "identity.json"


class RegistryDamaged(UnlostError):
    """A row of the registry cannot be read; the workspace's snapshots are not touched by that."""


class FolderTraits(NamedTuple):
    """What tells one folder from another; `birth` in nanoseconds, None where the system does not tell it."""

    device: int
    inode: int
    birth: int | None


@dataclass(frozen=True, kw_only=True)
class Identity:
    """A workspace and where it lives. The traits prove nothing alone: a system uses inode numbers again.

    `store` names the folder of its snapshots, which stays when the repository moves. `head`: HEAD when it was last
    registered, None while unborn. `moved_from`: its root before the last move.
    `came_by` tells what this registration found and is not stored: the root was *known*; *new*; its work tree
    *moved* here; *renewed*: another git dir with the same history; *replaced*: another repository stands where a
    workspace was, and is a workspace of its own.
    """

    workspace: str
    root: str
    git_dir: str
    common_dir: str
    store: str
    root_traits: FolderTraits
    git_traits: FolderTraits
    head: str | None
    registered_at: float
    moved_from: str | None = None
    came_by: CameBy = field(default="known", compare=False)


def registry_lock(home: str) -> FileLock:
    """The lock that every change of the registry holds."""
    os.makedirs(home, mode=0o700, exist_ok=True)
    return FileLock(os.path.join(home, "registry.lock"))


def journal_folder(home: str, workspace: str) -> str:
    """Where a workspace keeps the journals of its restores; made when it is missing."""
    folder = os.path.join(workspace_folder(home, workspace), "journals")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def store_folder(home: str, identity: Identity) -> str:
    """Where the snapshots of a workspace, and of the other work trees of its repository, are kept."""
    return os.path.join(home, "stores", identity.store)


def new_store_name(common_dir: str, *more: str) -> str:
    """A name for the store of a repository; `more` tells it from another repository that had the same place."""
    return hashlib.sha256(b"\0".join(map(os.fsencode, (common_dir, *more)))).hexdigest()[:16]


def read_row(home: str, workspace: str) -> Identity | None:
    """A workspace's row; None when it is not registered. Raises RegistryDamaged."""
    path = os.path.join(workspace_folder(home, workspace), _ROW)
    data = read_regular(path, _LARGEST)
    if data is None:
        return None
    try:
        return _identity(json.loads(data))
    except (ValueError, KeyError, TypeError) as error:
        raise RegistryDamaged(
            f"{path} cannot be read; the snapshots of {workspace} are whole",
            hint=f"remove that file, then run unlost mark in the work tree ({workspace} stays readable by its id)",
        ) from error


def write_row(home: str, identity: Identity) -> None:
    """Record a workspace and make it the one of its root; durable."""
    folder = workspace_folder(home, identity.workspace)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.makedirs(os.path.join(home, "roots"), mode=0o700, exist_ok=True)
    write_atomically(os.path.join(folder, _ROW), canonical_json(_json(identity)), durable=True)
    write_atomically(index_file(home, identity.root), identity.workspace.encode("ascii"), durable=True)


def registered_workspaces(home: str) -> tuple[str, ...]:
    """The id of every workspace that has a row, sorted."""
    try:
        names = sorted(os.listdir(os.path.join(home, "workspaces")))
    except FileNotFoundError:
        return ()
    return tuple(name for name in names if os.path.exists(os.path.join(workspace_folder(home, name), _ROW)))


def drop_index(home: str, root: str, workspace: str) -> None:
    """Let a root be nobody's, when it was this workspace's."""
    if workspace_of(home, root) == workspace:
        os.unlink(index_file(home, root))


def drop_row(home: str, identity: Identity) -> None:
    """Forget a workspace with its folder; the row goes first, so that a crash leaves none that is half there."""
    drop_index(home, identity.root, identity.workspace)
    with Folder.open(os.path.join(home, "workspaces")) as folder:
        name = os.fsencode(identity.workspace)
        with folder.inner(name) as own:
            remove_name(own, os.fsencode(_ROW))
        remove_tree(folder, name)


def _json(identity: Identity) -> dict[str, object]:
    return {
        "workspace": identity.workspace,
        "root": path_json(os.fsencode(identity.root)),
        "git_dir": path_json(os.fsencode(identity.git_dir)),
        "common_dir": path_json(os.fsencode(identity.common_dir)),
        "store": identity.store,
        "root_traits": list(identity.root_traits),
        "git_traits": list(identity.git_traits),
        "head": identity.head,
        "registered_at": identity.registered_at,
        "moved_from": None if identity.moved_from is None else path_json(os.fsencode(identity.moved_from)),
    }


def _identity(facts: Mapping[str, object]) -> Identity:
    moved_from, head, at = facts["moved_from"], facts["head"], facts["registered_at"]
    if not (isinstance(at, float | int) and isinstance(head, str | None)):
        raise TypeError("not a row of the registry")
    return Identity(
        workspace=str(facts["workspace"]),
        root=os.fsdecode(path_from_json(facts["root"])),
        git_dir=os.fsdecode(path_from_json(facts["git_dir"])),
        common_dir=os.fsdecode(path_from_json(facts["common_dir"])),
        store=str(facts["store"]),
        root_traits=_traits(facts["root_traits"]),
        git_traits=_traits(facts["git_traits"]),
        head=head,
        registered_at=float(at),
        moved_from=None if moved_from is None else os.fsdecode(path_from_json(moved_from)),
    )


def _traits(value: object) -> FolderTraits:
    if not isinstance(value, list):
        raise TypeError("traits are a list")
    device, inode, birth = value
    return FolderTraits(int(device), int(inode), None if birth is None else int(birth))
