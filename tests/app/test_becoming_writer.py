"""Who may let agents work in a root: the newest writer, and nobody where the workspace has gone elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.hand_clock import HandClock

from unlost.app.writers import become_writer
from unlost.engine.stream import UnitStream
from unlost.facts.errors import SupersededWriter
from unlost.ledger.protocol import Ledger
from unlost.ledger.registry import open_ledger
from unlost.unit.events import EVENTS, StopAsked
from unlost.workspace.epochs import raise_epoch
from unlost.workspace.events import OperationBegun, OperationEnded, Recorder
from unlost.workspace.facts import Location

WORKSPACE = "w-1"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A real ledger."""
    opened = open_ledger(f"sqlite:///{tmp_path}/ledger.db", HandClock())
    yield opened
    opened.close()


def brought(ledger: Ledger, to: Location, *, inode: int) -> None:
    """A restore of the workspace that succeeded."""
    epoch = raise_epoch(ledger, WORKSPACE, holder="h", purpose="move", place=to.place, root_digest=to.root_digest)
    recorder = Recorder(ledger, epoch)
    operation = f"o-{epoch.number}"
    recorder.begin(
        recorder.read(),
        OperationBegun(
            operation=operation,
            kind="restore",
            epoch=epoch.number,
            holder="h",
            place=to.place,
            root_digest=to.root_digest,
            identity="0" * 64,
        ),
    )
    recorder.end(OperationEnded(operation=operation, outcome="succeeded", inode=inode))


def test_each_run_is_a_writer_of_its_own(ledger: Ledger, tmp_path: Path) -> None:
    """Decision 11: the number only rises, and who comes later fences the earlier one out of every stream."""
    here = Location(place="here", root=str(tmp_path))

    first, second = (become_writer(ledger, WORKSPACE, here) for _ in range(2))
    overtaken = UnitStream(ledger, "u-1", first.fence)

    assert (first.number, second.number) == (1, 2)
    with pytest.raises(SupersededWriter):
        overtaken.record(EVENTS.new(StopAsked(by="a person"), key="stop"))
    assert ledger.read("u-1") == ()


def test_nobody_runs_where_the_workspace_is_not_any_more(ledger: Ledger, tmp_path: Path) -> None:
    """A workspace that was restored at another place is run there: here it is exit 75, with the way back."""
    here = Location(place="here", root=str(tmp_path))
    become_writer(ledger, WORKSPACE, here)
    brought(ledger, Location(place="there", root=str(tmp_path)), inode=1)

    with pytest.raises(SupersededWriter, match="went to there") as caught:
        become_writer(ledger, WORKSPACE, here)

    assert caught.value.hint == "unlost workspace restore w-1 --to ROOT brings it here"


def test_a_moved_root_and_a_renamed_machine_are_still_here(ledger: Ledger, tmp_path: Path) -> None:
    """Another root of the same place, and the same folder under another name of the place, are no other place."""
    here = Location(place="here", root=str(tmp_path))
    brought(ledger, Location(place="here", root="/moved/since"), inode=1)
    assert become_writer(ledger, WORKSPACE, here).number == 2

    brought(ledger, Location(place="old-name", root=str(tmp_path)), inode=tmp_path.stat().st_ino)
    assert become_writer(ledger, WORKSPACE, here).number == 4
