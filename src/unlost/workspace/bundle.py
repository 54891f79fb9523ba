"""What travels to a place for a restore: two packs, written by git out of our own store.

    base.pack   the commit that HEAD names, at depth 1: it becomes the new root's repository
    work.pack   what the snapshot has and the commit does not

For a place's git they are as the store has them. Else they are without deltas, so that a place needs no git to read
them and memory holds one object at a time.
"""

from __future__ import annotations

import os
from typing import Final

from unlost.facts.records import dataclass
from unlost.git.call import Git, GitFailed
from unlost.git.holding import holds_object
from unlost.host.folders import Folder
from unlost.snapshot.facts import Snapshot, SnapshotUnreadable
from unlost.snapshot.layout import Layout
from unlost.workspace.script.packs import BASE, ENDINGS, WORK, pack_names
from unlost.workspace.script.parcels import PARCEL, pack_parcel

# The packs are for this transfer alone: a power cut leaves nothing that anybody would read.
_CONFIG: Final = (
    *("pack.compression=1", "pack.threads=0", "pack.window=0", "core.bigFileThreshold=8m"),
    *("core.fsync=none", "pack.writeReverseIndex=false"),
)


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """The packs, as one parcel in a folder.

    `head` is None when nothing is committed, or the store let go of the commit.
    """

    folder: str
    head: str | None
    trees: tuple[str, ...]
    for_git: bool

    @property
    def file(self) -> str:
        """The one file that travels."""
        return os.path.join(self.folder, os.fsdecode(PARCEL))


def write_bundle(snapshot: Snapshot, layout: Layout, folder: str, *, private: bool, for_git: bool) -> Bundle:
    """Write the packs of a snapshot into a folder, which must be empty; with its precious ignored files if `private`.

    Raises SnapshotUnreadable when the store does not have all of it.
    """
    git = Git(layout.store, home=layout.home)
    trees = trees_of(snapshot, private=private)
    head = snapshot.surroundings.head
    try:
        # An old snapshot, whose commit went with its age: the files come back, the branch begins anew.
        head = None if head is None or not holds_object(layout.store, head) else head
        without = [] if head is None else ["--not", f"{head}^{{tree}}"]
        if head is not None:
            _pack(git, [f"--shallow {head}", head], folder, BASE, for_git=for_git)
        _pack(git, [*trees, *without], folder, WORK, for_git=for_git)
    except GitFailed as error:
        raise SnapshotUnreadable("the snapshot is not whole in the store", hint="unlost doctor --deep") from error
    with Folder.open(folder) as parts:
        pack_parcel(parts, pack_names(with_base=head is not None, for_git=for_git))
    return Bundle(folder=folder, head=head, trees=trees, for_git=for_git)


def trees_of(snapshot: Snapshot, *, private: bool) -> tuple[str, ...]:
    """The trees that make the new root, later ones over earlier ones."""
    return (snapshot.tree,) if snapshot.private is None or not private else (snapshot.tree, snapshot.private)


def _pack(git: Git, wanted: list[str], folder: str, name: str, *, for_git: bool) -> None:
    """Write one pack of what can be reached, and give it a plain name."""
    base = os.path.join(folder, name)
    listing = "".join(f"{line}\n" for line in wanted).encode("ascii")
    deltas = "--delta-base-offset" if for_git else "--no-reuse-delta"
    digest = git.run("pack-objects", "-q", "--revs", "--window=0", deltas, base, stdin=listing, config=_CONFIG)
    for ending in ENDINGS:
        os.rename(f"{base}-{digest.decode('ascii').strip()}.{ending}", f"{base}.{ending}")
