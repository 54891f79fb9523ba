"""What stands at a root now, and whether an order may put something else there."""

from __future__ import annotations

import os
import stat
from typing import Final, Literal

from unlost.facts.records import dataclass
from unlost.host.folders import Folder
from unlost.workspace.script.orders import Order, Refused
from unlost.workspace.script.receipts import NoReceipt, read_receipts

OccupantKind = Literal["missing", "empty", "same", "own", "newer", "stranger"]
STAGE: Final = "inspect_root"


@dataclass(frozen=True, kw_only=True)
class Occupant:
    """Who is at a root: nobody, an empty folder, this very restore (`same`), or somebody else.

    `own` is a recorded root of this workspace, `newer` one of a later epoch, `stranger` anybody else. `inode` is the
    folder's.
    """

    kind: OccupantKind
    inode: int | None = None
    identity: str | None = None


def look(parent: Folder, name: bytes, order: Order) -> Occupant:
    """Who is at a name. A link, a file, another file system mounted there, an unreadable folder: a stranger."""
    status = parent.status(name)
    if status is None:
        return Occupant(kind="missing")
    if not stat.S_ISDIR(status.st_mode) or status.st_dev != parent.own_status().st_dev:
        return Occupant(kind="stranger")
    try:
        with parent.inner(name) as root:
            return _resident(root, order)
    except OSError:
        return Occupant(kind="stranger")


def _resident(root: Folder, order: Order) -> Occupant:
    inode = root.own_status().st_ino
    try:
        receipts = read_receipts(root)
    except NoReceipt:
        return Occupant(kind="stranger" if root.names() else "empty", inode=inode)
    newest = receipts[-1]
    if any(receipt.workspace != order.workspace or receipt.place != order.place for receipt in receipts):
        return Occupant(kind="stranger", inode=inode)
    if newest.identity == order.identity:
        return Occupant(kind="same", inode=inode, identity=newest.identity)
    if newest.epoch > order.epoch:
        return Occupant(kind="newer", inode=inode, identity=newest.identity)
    # Every receipt must be recorded, and the newest for this very folder: a copy of a root is a stranger.
    if all(receipt.identity in order.known for receipt in receipts) and order.known[newest.identity] == inode:
        return Occupant(kind="own", inode=inode, identity=newest.identity)
    return Occupant(kind="stranger", inode=inode)


def refuse_occupied(occupant: Occupant, order: Order) -> None:
    """Raise Refused unless the order may put a new root where this occupant is (W.11 to W.13, W.16)."""
    if occupant.kind == "newer":
        raise Refused(STAGE, "stale_epoch")
    allowed = {
        "missing": True,
        "same": True,
        "empty": order.allow_empty_root,
        "own": order.replace_retired_root,
        "stranger": False,
    }
    if not allowed[occupant.kind]:
        raise Refused(STAGE, "occupied_root")


def holds_uncaptured(parent: Folder, name: bytes) -> bool:
    """Whether a folder holds what no snapshot of it does: a repository of its own, or another file system.

    Nothing of such a folder may be removed.
    """
    device = parent.own_status().st_dev
    waiting = [name]
    while waiting:
        path = waiting.pop()
        with parent.below(path) as here:
            if here.own_status().st_dev != device:
                return True
            entries = list(os.scandir(here.descriptor))
        if path != name and any(entry.name == ".git" for entry in entries):
            return True
        folders = (entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        # The root's own `.git` is no repository within: nothing below it is looked for.
        waiting += [path + b"/" + os.fsencode(each) for each in folders if path != name or each != ".git"]
    return False
