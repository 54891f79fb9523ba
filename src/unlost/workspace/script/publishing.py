"""Putting a staged root in place of what stands there, under a lock, so that there is always the old one or the new.

Where the system can swap two names in one step it does (Linux, macOS). Where it cannot, the old root is parked first,
and put back when the new one cannot get its name; a kill between the two leaves the root parked, and the next attempt
puts it back before it does anything else.
"""

from __future__ import annotations

import errno
import fcntl
import os
from typing import Any, Final

from unlost.facts.records import dataclass
from unlost.host.clock import SystemClock
from unlost.host.crash import crash_point
from unlost.host.folders import Folder
from unlost.host.renaming import exchange, move, move_new
from unlost.host.writing import remove_tree
from unlost.workspace.script.git_writing import git_here
from unlost.workspace.script.occupants import STAGE as INSPECT
from unlost.workspace.script.occupants import Occupant, holds_uncaptured, look, refuse_occupied
from unlost.workspace.script.orders import Order, Refused, parked_name, staging_name
from unlost.workspace.script.receipts import READY, write_receipt
from unlost.workspace.script.staging import TREE

_WAIT: Final = 60.0
_ASK_EVERY: Final = 0.02
_PUBLISH: Final = "publish_root"


@dataclass(frozen=True, kw_only=True)
class RollbackFailed(Exception):
    """The new root could not get its name, and the old one not its own back: it is whole under `parked`."""

    parked: str


def inspect(order: Order) -> dict[str, Any]:
    """Say who is at the root, and put back what an interrupted attempt of this operation parked. Raises Refused."""
    with Folder.open(order.parent) as parent:
        lock(parent)
        _put_back(parent, order)
        occupant = look(parent, order.name, order)
        if occupant.kind == "same":
            _clear(parent, order)
            return {"outcome": "adopted", "inode": occupant.inode}
        try:
            refuse_occupied(occupant, order)
        except Refused:
            _leave(parent, order)
            raise
        return {"outcome": "free", "occupant": occupant.kind, "git": git_here() is not None}


def publish(order: Order) -> dict[str, Any]:
    """Give a staged root its name. Raises Refused, and then the root is as it was; RollbackFailed; OSError."""
    with Folder.open(order.parent) as parent:
        lock(parent)
        _put_back(parent, order)
        occupant = look(parent, order.name, order)
        if occupant.kind == "same":
            kept = _clear(parent, order)
            return {"outcome": "adopted", "inode": occupant.inode, "parked": kept}
        # Once more, under the lock: who stands here may have changed while the new root was made.
        refuse_occupied(occupant, order)
        with parent.inner(order.staging) as staging:
            staged = look(staging, TREE, order)
            if staged.kind != "same":
                raise Refused("verify_bundle", "identity_mismatch")
            _swap_in(parent, staging, occupant, order)
        parent.sync()
        crash_point("restore_root.published")
        kept = _clear(parent, order)
        return {
            "outcome": "restored",
            "inode": staged.inode,
            "replaced": occupant.kind == "own",
            "parked": kept,
        }


def prepare(order: Order) -> dict[str, Any]:
    """Write the first receipt into a root that stands already, or that this operation prepared before.

    A root with a receipt that is not recorded, or of a later epoch, is refused. Raises Refused, OSError.
    """
    with Folder.open(order.parent) as parent:
        lock(parent)
        occupant = look(parent, order.name, order)
        try:
            if occupant.kind == "newer":
                raise Refused(INSPECT, "stale_epoch")
            if occupant.kind == "missing":
                return {"outcome": "missing"}
            if occupant.kind == "stranger" and _has_receipts(parent, order.name):
                raise Refused(INSPECT, "occupied_root")
            if occupant.kind != "same":
                with parent.inner(order.name) as root:
                    write_receipt(root, READY, order)
                crash_point("restore_root.prepared")
        finally:
            _leave(parent, order)
        return {"outcome": "adopted" if occupant.kind == "same" else "prepared", "inode": occupant.inode}


def lock(parent: Folder) -> None:
    """Hold the folder that a root is in: whoever publishes beside it waits. The system frees it with the process."""
    clock = SystemClock()
    deadline = clock.monotonic() + _WAIT
    while True:
        try:
            fcntl.flock(parent.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if clock.monotonic() >= deadline:
                raise Refused("lock_root", "unreachable") from None
            clock.wait(_ASK_EVERY)
        else:
            return


def _swap_in(parent: Folder, staging: Folder, occupant: Occupant, order: Order) -> None:
    """The new root gets the name; what was there is parked (W.14), or put back when that fails (W.15)."""
    crash_point("restore_root.locked")
    try:
        if occupant.kind == "missing":
            move_folder_new(staging, TREE, parent, order.name)
        elif occupant.kind == "empty":
            move(staging, TREE, parent, order.name)
        elif exchange(staging, TREE, parent, order.name):
            crash_point("restore_root.exchanged")
            move_folder_new(staging, TREE, parent, order.parked)
        else:
            _park_and_publish(parent, staging, order)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise Refused(_PUBLISH, "occupied_root") from error
        raise
    crash_point("restore_root.named")


def _park_and_publish(parent: Folder, staging: Folder, order: Order) -> None:
    move_folder_new(parent, order.name, parent, order.parked)
    parent.sync()
    crash_point("restore_root.parked")
    try:
        move_folder_new(staging, TREE, parent, order.name)
    except OSError:
        try:
            move_folder_new(parent, order.parked, parent, order.name)
        except OSError as error:
            raise RollbackFailed(parked=os.fsdecode(order.parked)) from error
        raise


def move_folder_new(source: Folder, name: bytes, target: Folder, target_name: bytes) -> None:
    """Move a folder to a name that must be free. FileExistsError when something has it."""
    try:
        move_new(source, name, target, target_name)
    except PermissionError:
        # No such rename here, and a folder has no second name to fall back on. A rename onto a full folder fails by
        # itself; an empty one or a link must not be replaced unseen.
        if target.status(target_name) is not None:
            raise FileExistsError(errno.EEXIST, "the name is taken") from None
        move(source, name, target, target_name)


def _put_back(parent: Folder, order: Order) -> None:
    """After a kill between parking and publishing: the old root gets its name back, whatever comes next."""
    if parent.status(order.name) is None and parent.status(order.parked) is not None:
        move_folder_new(parent, order.parked, parent, order.name)
        parent.sync()


def _clear(parent: Folder, order: Order) -> str | None:
    """Remove what was parked and staged, here and by earlier interrupted operations; the name of what stays parked."""
    crash_point("restore_root.clearing")
    kept = None
    for identity in (*order.earlier, order.identity):
        keep = order.keep_parked and identity == order.identity
        kept = _clear_parked(parent, order, identity, keep=keep) or kept
        staging = staging_name(order.name, identity)
        if parent.status(staging) is not None and not _holds_old_root(parent, staging, order, keep=keep):
            remove_tree(parent, staging)
    crash_point("restore_root.cleared")
    parent.sync()
    return kept


def _holds_old_root(parent: Folder, staging: bytes, order: Order, *, keep: bool) -> bool:
    """After a kill right behind a swap the old root is still in the staging folder: it is parked first."""
    with parent.inner(staging) as folder:
        if folder.status(TREE) is None or look(folder, TREE, order).kind == "same":
            return False
        if keep and staging == order.staging:
            move_folder_new(folder, TREE, parent, order.parked)
            return False
        return holds_uncaptured(folder, TREE)


def _clear_parked(parent: Folder, order: Order, identity: str, *, keep: bool) -> str | None:
    """Remove a parked root; its name when it has to stay: it holds what no snapshot does."""
    name = parked_name(order.name, identity)
    if parent.status(name) is None:
        return None
    if keep or holds_uncaptured(parent, name):
        return os.fsdecode(name)
    try:
        remove_tree(parent, name)
    except OSError:
        return os.fsdecode(name)
    crash_point("restore_root.unparked")
    return None


def _leave(parent: Folder, order: Order) -> None:
    """Remove the staging folder, in which nothing but this program can be: no order of this operation staged a root."""
    if parent.status(order.staging) is None:
        return
    with parent.inner(order.staging) as staging:
        if staging.status(TREE) is not None:
            return
    remove_tree(parent, order.staging)


def _has_receipts(parent: Folder, name: bytes) -> bool:
    try:
        with parent.inner(name) as root:
            return root.status(b".unlost") is not None
    except OSError:
        return True
