"""Becoming the writer of a workspace for a run: a new epoch, refused where the workspace has gone elsewhere."""

from __future__ import annotations

import os

from unlost.app.holding import next_epoch
from unlost.facts.errors import SupersededWriter
from unlost.host.ids import new_nonce
from unlost.ledger.protocol import Ledger
from unlost.workspace.epochs import Epoch, raise_epoch
from unlost.workspace.events import read_record
from unlost.workspace.facts import Location, Operation


def become_writer(ledger: Ledger, workspace: str, here: Location) -> Epoch:
    """The right of a new writer that lets agents work in this root; every earlier writer is overtaken (decision 11).

    Raises SupersededWriter (exit 75) when the workspace was brought to another place since.
    """
    moves = [
        each
        for each in read_record(ledger, workspace).operations
        if each.kind in ("restore", "prepare") and each.outcome == "succeeded"
    ]
    newest = max(moves, key=lambda each: (each.epoch, each.number), default=None)
    if newest is not None and not _is_this_root(newest, here):
        raise SupersededWriter(
            f"{workspace} went to {newest.place} (epoch {newest.epoch}); nothing was started",
            hint=f"unlost workspace restore {workspace} --to ROOT brings it here",
        )
    return raise_epoch(
        ledger,
        workspace,
        holder=new_nonce(),
        purpose="run",
        place=here.place,
        root_digest=here.root_digest,
        over=next_epoch(ledger, workspace) - 1,
    )


def _is_this_root(operation: Operation, here: Location) -> bool:
    """Whether an operation made or marked this root.

    At this place it did: the registry here has one root for a workspace, moved or not. A place may also have got
    another name since; then the folder is the same one.
    """
    if operation.place == here.place:
        return True
    return operation.root_digest == here.root_digest and operation.inode == os.stat(here.root).st_ino
