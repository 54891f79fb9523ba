"""Stores of nested repositories: they keep what a snapshot of the repository around them links to, and the newest."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from unlost.facts.trees import NESTED
from unlost.git.call import Git
from unlost.host.folders import Folder
from unlost.host.writing import remove_tree
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable
from unlost.snapshot.layout import Layout

Tidy = Callable[[Git], object]
"""Makes a store small again: `repacking.repack_all`, or as much of it as there is time for."""


def nested_folder(layout: Layout) -> str:
    """Where the stores of a workspace's nested repositories are."""
    return os.path.join(layout.workspace_folder, "nested")


def keep_linked(archive: Archive, kept: Sequence[Snapshot], tidy: Tidy) -> int:
    """Drop every nested snapshot that none of the kept ones links to, at any depth; returns how many.

    The store of a repository that none of them links to goes whole. The caller holds the capture lock of the
    workspace, which every nested capture takes first; `archive` may have no root. Raises GitFailed, OSError.
    """
    parent = nested_folder(archive.layout)
    if not os.path.isdir(parent):
        return 0
    links = _links(archive, kept)
    names = {hashlib.sha256(path).hexdigest()[:16]: path for path in links}
    dropped = 0
    for name in sorted(os.listdir(parent)):
        if name in names:
            with archive.nested(names[name]) as inner:
                dropped += _thin(inner, links[names[name]], tidy)
        else:
            with Folder.open(parent) as folder:
                remove_tree(folder, os.fsencode(name))
    return dropped


def _thin(archive: Archive, linked: set[str], tidy: Tidy) -> int:
    snapshots = archive.snapshots()
    if not snapshots:
        return 0
    newest = snapshots[-1].id
    kept = [each for each in snapshots if each.id in linked or each.id == newest]
    doomed = [each.sequence for each in snapshots if each not in kept]
    if doomed:
        archive.drop(doomed)
    below = keep_linked(archive, kept, tidy)
    tidy(Git(archive.layout.store, home=archive.layout.home))
    return len(doomed) + below


def _links(archive: Archive, snapshots: Sequence[Snapshot]) -> Mapping[bytes, set[str]]:
    """Path of each nested repository to the snapshots of it that any of these link to; one walk, then differences."""
    found: dict[bytes, set[str]] = defaultdict(set)
    before: str | None = None
    for snapshot in snapshots:
        # A base may link as well: a submodule at HEAD's commit stands in it as it is in the tree.
        for tree in (snapshot.tree, snapshot.base):
            try:
                if before is None:
                    entries = [(path, entry) for path, entry in archive.walk(tree)]
                else:
                    entries = [(each.path, each.after) for each in archive.changes(before, tree) if each.after]
            except SnapshotUnreadable:
                continue
            before = tree
            for path, entry in entries:
                if entry.mode == NESTED:
                    found[path].add(entry.oid)
    return found
