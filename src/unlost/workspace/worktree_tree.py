"""The files and the index of a new linked work tree, made from a snapshot of the one it comes from.

Git would check the commit out with the repository's own filters, which may be anybody's program. A snapshot's base
holds what HEAD's files are on disk (line ends, LFS content), so it gives the same files and runs nothing.
"""

from __future__ import annotations

import os
from typing import Final

from unlost.facts.trees import NESTED
from unlost.git.call import Git, GitFailed
from unlost.git.repository import Repository
from unlost.host.folders import Folder
from unlost.host.ids import new_nonce
from unlost.host.reading import read_regular, write_atomically
from unlost.snapshot.checkout import Trees, write_files
from unlost.snapshot.facts import Snapshot
from unlost.snapshot.layout import Layout

_LARGEST_INDEX: Final = 1 << 30


def fill_worktree(trees: Trees, snapshot: Snapshot, *, layout: Layout, worktree: Repository) -> int:
    """Write HEAD's files as the snapshot holds them, the precious ignored files, and an index that knows them.

    `worktree` was just added without files; `layout` is of the workspace that the snapshot is of. Submodules stay
    empty, as git leaves them. Returns how many ignored files came along. Raises OSError, UnlostError.
    """
    private = {} if snapshot.private is None else dict(trees.walk(snapshot.private))
    entries = {path: entry for path, entry in trees.walk(snapshot.base) if entry.mode != NESTED}
    ignored = {path: entry for path, entry in private.items() if path not in entries}
    with Folder.open(worktree.root) as root:
        write_files(root, entries | ignored, trees)
    _place_index(snapshot, layout, worktree)
    return len(ignored)


def _place_index(snapshot: Snapshot, layout: Layout, worktree: Repository) -> None:
    """Make the index in our own git dir, where no setting of the repository counts, and put it in its place."""
    git = Git(layout.git_dir, home=layout.home, work_tree=worktree.root)
    temporary = os.path.join(layout.workspace_folder, f"index-{new_nonce()}")
    variables = {"GIT_INDEX_FILE": temporary}
    try:
        try:
            git.run("read-tree", snapshot.surroundings.head or snapshot.base, variables=variables)
        except GitFailed:
            # The store let go of the commit itself; its files it has.
            git.run("read-tree", snapshot.base, variables=variables)
        git.run("update-index", "-q", "--refresh", variables=variables)
        data = read_regular(temporary, _LARGEST_INDEX) or b""
    finally:
        if os.path.lexists(temporary):
            os.unlink(temporary)
    write_atomically(os.path.join(worktree.git_dir, "index"), data)
