"""Making a new root beside its place: content, `.git`, receipt; nothing at the root itself is touched."""

from __future__ import annotations

import ctypes
import fcntl
import os
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from typing import Any, Final

from unlost.host.crash import crash_point
from unlost.host.folders import Folder
from unlost.host.writing import remove_tree
from unlost.workspace.script.content import File, Filling, OldRoot, Trees
from unlost.workspace.script.git_dir import make_git_dir
from unlost.workspace.script.git_writing import SCRATCH, GitCannot, write_by_git
from unlost.workspace.script.occupants import look, refuse_occupied
from unlost.workspace.script.orders import Order, Refused
from unlost.workspace.script.packs import BASE, WORK, Pack, PackDamaged, pack_names
from unlost.workspace.script.parcels import ParcelDamaged, unpack_parcel
from unlost.workspace.script.receipts import RESTORED, write_receipt

TREE: Final = b"tree"
"""The new root's name in its staging folder, beside the packs and this program."""


def stage(order: Order) -> dict[str, Any]:
    """Make the new root in the staging folder, whole and durable. Raises Refused, OSError.

    The outcome `again` is the answer to packs for git where the place's git does not make a root of them.
    """
    with Folder.open(order.parent) as parent, parent.inner(order.staging) as staging:
        fcntl.flock(staging.descriptor, fcntl.LOCK_EX)
        occupant = look(parent, order.name, order)
        if occupant.kind == "same":
            return {"outcome": "adopted", "inode": occupant.inode}
        refuse_occupied(occupant, order)
        # What an interrupted attempt of this very operation left.
        _start_over(staging)
        old = order.name if occupant.kind == "own" else None
        try:
            unpack_parcel(staging, pack_names(with_base=order.head is not None, for_git=order.for_git))
            counts = _fill(order, parent, staging, old)
        except GitCannot:
            _start_over(staging)
            return {"outcome": "again"}
        except (PackDamaged, ParcelDamaged, ValueError) as error:
            _start_over(staging)
            raise Refused("verify_bundle", "missing_snapshot") from error
    return {"outcome": "staged", **counts}


def _start_over(staging: Folder) -> None:
    remove_tree(staging, TREE)
    remove_tree(staging, SCRATCH)


def _fill(order: Order, parent: Folder, staging: Folder, old: bytes | None) -> Mapping[str, int]:
    """Write the new root, with its receipt last, and make all of it durable."""
    with staging.inner(TREE, create=True) as root:
        if old is not None:
            with parent.inner(old) as before:
                os.fchmod(root.descriptor, before.own_status().st_mode & 0o777)
        crash_point("restore_root.stage_begun")
        counts = write_by_git(order, staging, root) if order.for_git else _write(order, parent, staging, root, old)
        write_receipt(root, RESTORED, order, durable=False)
        sync_everything(root.descriptor)
        crash_point("restore_root.staged")
    return counts


def _write(order: Order, parent: Folder, staging: Folder, root: Folder, old: bytes | None) -> Mapping[str, int]:
    """Write files and `.git` without git; what the old root holds unchanged is taken over."""
    folder = os.path.join(order.parent, os.fsdecode(order.staging))
    with ExitStack() as stack:
        work = stack.enter_context(Pack(folder, WORK, order.object_format))
        base = None
        if order.head is not None:
            base = stack.enter_context(Pack(folder, BASE, order.object_format))
        packs = [work] if base is None else [work, base]
        trees = Trees(packs, order.object_format)
        files: dict[bytes, File] = {}
        for tree in order.trees:
            files.update((file.path, file) for file in trees.walk(tree))
        filling = Filling(root.descriptor, stack.enter_context(OldRoot(parent.descriptor, old)), order.object_format)
        nested = filling.fill(files, packs)
        crash_point("restore_root.files_written")
        make_git_dir(
            root,
            staging,
            base,
            trees,
            object_format=order.object_format,
            head=order.head,
            branch=order.branch,
            seen=filling.seen,
        )
        crash_point("restore_root.repository_made")
    return {"files": len(files) - nested, "linked": filling.linked, "written": filling.written, "nested": nested}


def sync_everything(descriptor: int) -> None:
    """Make all that was written to a folder's file system durable, in one call for any number of files."""
    call = _syncfs()
    if call is None or call(descriptor) != 0:
        os.sync()


@cache
def _syncfs() -> Any:
    return getattr(ctypes.CDLL(None), "syncfs", None)
