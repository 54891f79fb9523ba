"""What travels to a place for a restore: two packs of whole objects, written by git out of our own store.

    base.pack   the commit that HEAD names, at depth 1: it becomes the new root's repository
    work.pack   every tree of the snapshot, and the contents that the commit does not have

Both without deltas, so that a place needs no git to read them and memory holds one object at a time.
"""

from __future__ import annotations

import os
from typing import Final

from unlost.facts.records import dataclass
from unlost.git.call import Git, GitFailed
from unlost.host.folders import Folder
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable
from unlost.snapshot.layout import Layout
from unlost.workspace.script.packs import BASE, ENDINGS, WORK, pack_names
from unlost.workspace.script.parcels import PARCEL, pack_parcel

_CONFIG: Final = ("pack.compression=1", "pack.threads=0", "pack.window=0", "core.bigFileThreshold=8m")


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """The packs, as one parcel in a folder.

    `head` is None when nothing is committed, or the store let go of the commit.
    """

    folder: str
    head: str | None
    trees: tuple[str, ...]

    @property
    def file(self) -> str:
        """The one file that travels."""
        return os.path.join(self.folder, os.fsdecode(PARCEL))


def write_bundle(snapshot: Snapshot, layout: Layout, folder: str, *, private: bool) -> Bundle:
    """Write the packs of a snapshot into a folder, which must be empty; with its precious ignored files if `private`.

    Raises SnapshotUnreadable when the store does not have all of it.
    """
    git = Git(layout.store, home=layout.home)
    trees = (snapshot.tree,) if snapshot.private is None or not private else (snapshot.tree, snapshot.private)
    head = snapshot.surroundings.head
    committed: set[str] = set()
    if head is not None:
        try:
            listed = git.run("ls-tree", "-r", "-t", "-z", "--full-tree", head)
            root = git.run("rev-parse", "--verify", f"{head}^{{tree}}").decode("ascii").strip()
        except GitFailed:
            # An old snapshot, whose commit went with its age: the files come back, the branch begins anew.
            head = None
        else:
            folders, committed = _objects(listed)
            _pack(git, {head, root} | folders | committed, folder, BASE)
    wanted: set[str] = set(trees)
    try:
        for tree in trees:
            folders, contents = _objects(git.run("ls-tree", "-r", "-t", "-z", "--full-tree", tree))
            wanted |= folders | (contents - committed)
        _pack(git, wanted, folder, WORK)
    except GitFailed as error:
        raise SnapshotUnreadable("the snapshot is not whole in the store", hint="unlost doctor --deep") from error
    with Folder.open(folder) as parts:
        pack_parcel(parts, pack_names(with_base=head is not None))
    return Bundle(folder=folder, head=head, trees=trees)


def _objects(listing: bytes) -> tuple[set[str], set[str]]:
    """(trees, contents) in the output of `ls-tree -r -t -z`; commits of nested repositories are in neither."""
    trees: set[str] = set()
    contents: set[str] = set()
    for line in listing.split(b"\0"):
        parts = line.partition(b"\t")[0].split(b" ")
        if len(parts) == 3 and parts[1] == b"tree":
            trees.add(parts[2].decode("ascii"))
        elif len(parts) == 3 and parts[1] == b"blob":
            contents.add(parts[2].decode("ascii"))
    return trees, contents


def _pack(git: Git, oids: set[str], folder: str, name: str) -> None:
    """Write one pack and give it a plain name."""
    base = os.path.join(folder, name)
    listing = "".join(f"{oid}\n" for oid in sorted(oids)).encode("ascii")
    digest = git.run("pack-objects", "-q", "--no-reuse-delta", "--window=0", base, stdin=listing, config=_CONFIG)
    for ending in ENDINGS:
        os.rename(f"{base}-{digest.decode('ascii').strip()}.{ending}", f"{base}.{ending}")
