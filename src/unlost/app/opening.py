"""Find the workspace that a person means, and put its boundaries together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Final

from unlost.app.repository_rules import RuleSource
from unlost.facts.errors import NotARepository, UsageError
from unlost.facts.patterns import at_any_depth, prepared
from unlost.facts.records import dataclass
from unlost.facts.words import WorkspaceState
from unlost.git.configuration import read_settings as read_git_settings
from unlost.git.formats import object_format
from unlost.git.repository import Repository, discover, is_git_dir
from unlost.host.clock import Clock
from unlost.host.doors import open_door
from unlost.host.environment import home_folder
from unlost.host.ids import new_id
from unlost.ledger.protocol import Ledger
from unlost.plain.boundaries import Boundaries, Running
from unlost.plain.record import Record
from unlost.plain.trees import Trees
from unlost.settings import Settings, SnapshotSettings
from unlost.snapshot.archive import Archive
from unlost.snapshot.begun import Begun
from unlost.snapshot.facts import Limits
from unlost.snapshot.identity import adopt_moved, find, register, state_of
from unlost.snapshot.registry import Identity, journal_folder, store_folder
from unlost.snapshot.whereabouts import workspace_folder

RECOVERY: Final[Mapping[str, str]] = {"restores": "unlost.app.settling"}
"""What finishes or rolls back interrupted restores; opened only where there are some."""

_CACHE: Final = "claims.json"
_HINT_MARK: Final = "unlost mark registers it"


@dataclass(frozen=True, kw_only=True)
class Found:
    """A work tree that somebody means: its repository when there is one, its workspace when it is registered."""

    root: str
    repository: Repository | None
    identity: Identity | None
    state: WorkspaceState


@dataclass(frozen=True, kw_only=True)
class Place:
    """A registered workspace with everything open; close it when done. `rules` are its repository's."""

    identity: Identity
    state: WorkspaceState
    rules: SnapshotSettings
    boundaries: Boundaries
    folder: str
    journals: str

    @property
    def root_is_there(self) -> bool:
        """Whether there is a folder to capture."""
        return self.state != "missing"

    def settle_restores(self) -> None:
        """Finish or roll back restores that were interrupted; one look into a folder when there are none."""
        if os.listdir(self.journals):
            open_door(RECOVERY, "restores").settle_restores(self.boundaries, self.journals)

    def close(self) -> None:
        """Let go of processes and descriptors."""
        self.boundaries.trees.close()
        self.boundaries.archive.close()


def find_work_tree(target: str, settings: Settings, clock: Clock, *, new: bool) -> Found:
    """The work tree of a folder, a root that may be gone, or a workspace id.

    With `new`, a repository that has no workspace gets one, and so does another repository that stands where a
    workspace was; without, that one answers for the old workspace. Raises NotARepository, UsageError.
    """
    known = find(settings.home, target)
    folder = target if known is None else known.root
    try:
        repository = discover(folder)
    except NotARepository:
        if known is None:
            raise
        return Found(root=known.root, repository=None, identity=known, state=state_of(known))
    if known is not None and repository.root != known.root:
        # The root lost its `.git` and stands inside another repository: that one is not meant.
        return Found(root=known.root, repository=None, identity=known, state=state_of(known))
    _refuse_whole_machine(repository.root)
    known = find(settings.home, repository.root)
    if known is not None and not new and state_of(known) == "replaced":
        return Found(root=known.root, repository=repository, identity=known, state="replaced")
    if known is None and not new:
        # Only this first look at the new place can tell that the work tree has moved.
        identity = adopt_moved(settings.home, repository, clock)
        if identity is None:
            return Found(root=repository.root, repository=repository, identity=None, state="present")
    else:
        identity = register(settings.home, repository, clock, new_id)
    return Found(root=identity.root, repository=repository, identity=identity, state=state_of(identity))


def open_place(
    found: Found,
    settings: Settings,
    ledger: Ledger,
    clock: Clock,
    *,
    running: Running,
    say: Callable[[str], None],
    admitting: bool = False,
    begun: Begun | None = None,
) -> Place:
    """Everything that commands of one workspace need, under the rules of its repository.

    `begun` is a capture to go on with, closed where it is of another work tree. `admitting`: a unit's admission
    boundary is about to be taken (see `repository_rules`). Raises UsageError for a work tree that is not registered,
    FileInvalid for an `unlost.toml` on disk that counts and cannot be used.
    """
    identity = found.identity
    if identity is None:
        raise UsageError("this work tree is not registered; nothing is known of it", hint=_HINT_MARK)
    folder = workspace_folder(settings.home, identity.workspace)
    opened = partial(
        Archive,
        store_folder=store_folder(settings.home, identity),
        workspace_folder=folder,
        workspace=identity.workspace,
        root=identity.root,
        clock=clock,
        progress=say,
    )
    source = RuleSource(
        workspace=identity.workspace, root=identity.root, folder=folder, ledger=ledger, archive=opened, say=say
    )
    rules = source.rules(settings.snapshot, admitting=admitting)
    archive = opened(limits=_limits(rules), begun=begun)
    trees = Trees(archive)
    is_scratch = _scratch_rule(rules)
    boundaries = Boundaries(
        archive=archive,
        trees=trees,
        record=Record(ledger, identity.workspace, trees, cache=os.path.join(folder, _CACHE), is_scratch=is_scratch),
        repository=found.repository or _what_is_left(identity),
        at_root=found.repository is not None,
        scratch=os.path.join(settings.home, "scratch"),
        is_scratch=is_scratch,
        running=running,
    )
    return Place(
        identity=identity,
        state=found.state,
        rules=rules,
        boundaries=boundaries,
        folder=folder,
        journals=journal_folder(settings.home, identity.workspace),
    )


def _refuse_whole_machine(root: str) -> None:
    """Raise UsageError for a root that holds everything else, where a capture would never end."""
    if root == "/" or root == os.path.realpath(home_folder()):
        raise UsageError(
            "the root of this work tree is the home folder or `/`; unlost would capture everything below it",
            hint="run unlost in a project's own repository",
        )


def _what_is_left(identity: Identity) -> Repository | None:
    """The repository that a vanished work tree belonged to, when that is still there."""
    if not is_git_dir(identity.common_dir):
        return None
    settings = read_git_settings(os.path.join(identity.common_dir, "config"))
    return Repository(
        root=identity.root,
        git_dir=identity.git_dir if is_git_dir(identity.git_dir) else identity.common_dir,
        common_dir=identity.common_dir,
        object_format=object_format(settings.get("extensions.objectformat", "sha1")),
    )


def _limits(snapshot: SnapshotSettings) -> Limits:
    return Limits(
        max_file=snapshot.max_file,
        max_store=snapshot.max_store,
        include_ignored=snapshot.include_ignored,
        exclude_ignored=snapshot.exclude_ignored,
    )


def _scratch_rule(snapshot: SnapshotSettings) -> Callable[[bytes], bool]:
    return cache(prepared(at_any_depth(pattern) for pattern in snapshot.scratch))
