"""Where a workspace's captures are kept: a store for each repository, a folder for each workspace.

    STORE/store.git/     bare repository: bases, snapshots, precious ignored files; refs/{base,snap,private}/WORKSPACE/N
    STORE/judge.git/     empty repository with the user's text settings: what would git store for this file?
    WORKSPACE/git/       git dir of the work tree: HEAD (detached), commondir, the private index, ignore rules
    WORKSPACE/state      what the last capture saw; folders: names by folder; trees: contents of trees
    WORKSPACE/nested/    the same two folders for each nested repository

All but `store.git` are caches: losing them costs a first capture again, never a snapshot.
"""

from __future__ import annotations

import hashlib
import os

from unlost.facts.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The paths and ref names of one workspace."""

    store_folder: str
    workspace_folder: str
    workspace: str

    @property
    def store(self) -> str:
        """The bare repository."""
        return os.path.join(self.store_folder, "store.git")

    @property
    def judge(self) -> str:
        """The repository that knows how git would convert a file."""
        return os.path.join(self.store_folder, "judge.git")

    @property
    def store_lock(self) -> str:
        """Held while the store is made or fetched into: linked work trees share it."""
        return os.path.join(self.store_folder, "store.lock")

    @property
    def capture_lock(self) -> str:
        """Held around one capture or restore."""
        return os.path.join(self.workspace_folder, "capture.lock")

    @property
    def git_dir(self) -> str:
        """The git dir of the work tree: not below the store's `worktrees/`, whose gc removes what it knows not."""
        return os.path.join(self.workspace_folder, "git")

    @property
    def excludes(self) -> str:
        """The ignore rules that come from outside the work tree, for `core.excludesFile`."""
        return os.path.join(self.git_dir, "excludes")

    @property
    def home(self) -> str:
        """The home folder of git processes."""
        return os.path.join(self.workspace_folder, "home")

    @property
    def state(self) -> str:
        """What the last capture saw."""
        return os.path.join(self.workspace_folder, "state")

    @property
    def folders(self) -> str:
        """Names by folder, needed only when a folder changed."""
        return os.path.join(self.workspace_folder, "folders")

    @property
    def trees(self) -> str:
        """Contents of trees."""
        return os.path.join(self.workspace_folder, "trees")

    def snapshots(self) -> str:
        """Prefix of the refs of snapshots, one a sequence number."""
        return f"refs/snap/{self.workspace}"

    def bases(self) -> str:
        """Prefix of the refs of bases, one a sequence number."""
        return f"refs/base/{self.workspace}"

    def privates(self) -> str:
        """Prefix of the refs of precious ignored files, one a sequence number that has some."""
        return f"refs/private/{self.workspace}"

    def baseline(self) -> str:
        """The ref of what the private index started from."""
        return f"refs/baseline/{self.workspace}"

    def fetched(self) -> str:
        """The ref of the newest commit fetched from the user's repository."""
        return f"refs/fetched/{self.workspace}"

    def rebased(self) -> str:
        """The ref of the base that the newest snapshot has since HEAD moved under equal files (nested repositories)."""
        return f"refs/rebased/{self.workspace}"

    def nested(self, path: bytes) -> Layout:
        """The layout of a nested repository; its place is named by its path."""
        name = hashlib.sha256(path).hexdigest()[:16]
        folder = os.path.join(self.workspace_folder, "nested", name)
        return Layout(
            store_folder=os.path.join(folder, "store"),
            workspace_folder=os.path.join(folder, "workspace"),
            workspace=self.workspace,
        )
