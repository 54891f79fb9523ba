"""Becoming the writer of a workspace for a run: a new epoch, refused where the workspace has gone elsewhere."""

from __future__ import annotations

from unlost.app.holding import next_epoch
from unlost.facts.errors import SupersededWriter
from unlost.host.ids import new_id
from unlost.ledger.protocol import Ledger
from unlost.workspace.epochs import raise_epoch, read_epochs
from unlost.workspace.facts import Location


def become_writer(ledger: Ledger, workspace: str, here: Location) -> int:
    """The number of a new writer that lets agents work in this root; every earlier writer is overtaken (decision 11).

    Raises SupersededWriter (exit 75) when the workspace was brought to another place since. Another root of the same
    place is this one, moved: the registry of this machine has only one root for a workspace.
    """
    moves = [each for each in read_epochs(ledger, workspace) if each.purpose == "move"]
    if moves and moves[-1].place != here.place:
        raise SupersededWriter(
            f"{workspace} went to {moves[-1].place} (epoch {moves[-1].number}); nothing was started",
            hint=f"unlost workspace restore {workspace} --to ROOT brings it here; a renamed machine: set UNLOST_PLACE",
        )
    epoch = raise_epoch(
        ledger,
        workspace,
        holder=new_id("h"),
        purpose="run",
        place=here.place,
        root_digest=here.root_digest,
        over=next_epoch(ledger, workspace) - 1,
    )
    return epoch.number
