"""Epochs: who may write; two writers for one root, overtaken writers, and units that lend their workspace."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.hand_clock import HandClock
from kit.memory_ledger import MemoryLedger, MemoryRows
from kit.places import WORKSPACE, LocalSource, Places, local_transport, say_nothing

from unlost.facts.errors import NeedsPerson, SupersededWriter, TryLater
from unlost.host.ids import new_id
from unlost.ledger.protocol import FencedOut
from unlost.snapshot.facts import Snapshot
from unlost.workspace.delegation import ChildWork, hand_over, take_back
from unlost.workspace.epochs import Epoch, raise_epoch, read_epochs, refuse_superseded
from unlost.workspace.events import OperationBegun, Recorder, read_record
from unlost.workspace.facts import Location
from unlost.workspace.failures import RestoreRefused
from unlost.workspace.planning import RestoreOrder

HERE = Location(place="A", root="/work")


@pytest.fixture
def ledger() -> MemoryLedger:
    """A ledger of its own."""
    return MemoryLedger(MemoryRows(), HandClock())


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    """A workspace with a prepared root at A."""
    made = Places.make(tmp_path / "machines", local_transport())
    made.repository()
    made.prepare(made.location("A"))
    yield made
    made.close()


def writer(ledger: MemoryLedger, holder: str, over: int = 0) -> Epoch:
    """The next writer."""
    return raise_epoch(ledger, "w-1", holder=holder, purpose="run", place="A", root_digest=HERE.root_digest, over=over)


def begun(epoch: Epoch) -> OperationBegun:
    """An operation of a writer."""
    return OperationBegun(operation=f"o-{epoch.holder}", kind="prepare", epoch=epoch.number, holder=epoch.holder)


def test_every_writer_has_a_higher_number(ledger: MemoryLedger) -> None:
    """Decision 11: the epoch rises at every change of writer, and over every number from before there were epochs."""
    assert [writer(ledger, "a").number, writer(ledger, "b").number, writer(ledger, "c", over=7).number] == [1, 2, 8]
    assert [each.holder for each in read_epochs(ledger, "w-1")] == ["a", "b", "c"]


def test_an_overtaken_writer_appends_nothing(ledger: MemoryLedger) -> None:
    """Decision 11: once a later writer is recorded, every append of the earlier one is refused: exit 75."""
    old = writer(ledger, "a")
    recorder = Recorder(ledger, old)
    writer(ledger, "b")

    with pytest.raises(FencedOut) as caught:
        recorder.begin(read_record(ledger, "w-1"), begun(old))
    with pytest.raises(SupersededWriter):
        refuse_superseded(ledger, old)

    assert caught.value.exit_code == 75
    assert read_record(ledger, "w-1").operations == ()


def test_an_equal_epoch_of_another_holder_is_refused(ledger: MemoryLedger) -> None:
    """Decision 11: of two who reach for the same number one is recorded; the other has no right by its number."""
    first = writer(ledger, "a")
    twin = Epoch(
        workspace="w-1",
        number=1,
        holder="b",
        purpose="run",
        place="A",
        root_digest=HERE.root_digest,
        sequence=1,
    )

    refuse_superseded(ledger, first)
    with pytest.raises(SupersededWriter):
        refuse_superseded(ledger, twin)


def test_whoever_decides_from_an_old_record_decides_again(ledger: MemoryLedger) -> None:
    """An operation is recorded only behind the very record that it was decided from: the proof cannot go stale."""
    epoch = writer(ledger, "a")
    old = read_record(ledger, "w-1")
    Recorder(ledger, epoch).begin(old, begun(epoch))

    with pytest.raises(TryLater) as caught:
        Recorder(ledger, epoch).begin(old, OperationBegun(operation="o-2", kind="restore", epoch=1, holder="a"))
    assert caught.value.exit_code == 75


def test_stale_at_save_and_restore(places: Places) -> None:
    """Decision 11: a writer that was overtaken between two steps of a save or restore is refused at the next one."""
    home, away = places.location("A"), places.location("B")
    places.save(home)
    archive = places.archive(home)

    def overtaken() -> None:
        raise_epoch(places.ledger, WORKSPACE, holder="faster", purpose="move", place="C", root_digest="c" * 64)

    with pytest.raises(FencedOut):
        places.save(home, meanwhile=overtaken)

    class Overtaking(LocalSource):
        def bring(self, snapshot: str) -> Snapshot:
            overtaken()
            return super().bring(snapshot)

    with pytest.raises(FencedOut) as caught:
        places.restore(away, holder="slow", abandon=True, source=Overtaking(archive))
    assert caught.value.exit_code == 75
    assert not os.path.exists(away.root)


@pytest.mark.slow
def test_two_writers_race_for_one_root(places: Places) -> None:
    """Decision 11: of several who restore into one root at once one wins; every other one exits 75 or is refused."""
    places.save(places.location("A"))
    target = places.location("B")
    os.makedirs(os.path.dirname(target.root))
    argv = [sys.executable, "-m", "kit.places", str(places.folder), "restore", "B"]

    racers = [
        subprocess.Popen([*argv, f"racer {n}"], cwd=Path(__file__).parent.parent, stderr=subprocess.PIPE)
        for n in range(3)
    ]
    errors = [racer.communicate(timeout=240)[1].decode() for racer in racers]

    codes = sorted(racer.returncode for racer in racers)
    assert codes.count(0) == 1, errors
    # A racer that only began when the winner was done finds the winner's root, whose work is not saved.
    assert set(codes) <= {0, 3, 75}, errors
    assert any(code == 75 for code in codes) or "unsaved" in "".join(errors)
    assert (Path(target.root) / "parent.txt").exists()
    record = read_record(places.ledger, WORKSPACE)
    assert len([each for each in record.operations if each.kind == "restore" and each.outcome == "succeeded"]) == 1


def lend(places: Places, home: Location) -> None:
    """The parent saves and hands over."""
    places.save(home)
    hand_over(places.ledger, read_epochs(places.ledger, WORKSPACE)[-1], parent="u-parent", child="u-child")


def taken_back(places: Places, home: Location) -> tuple[str, tuple[ChildWork, ...]]:
    """The parent takes its workspace back."""
    returned = take_back(
        places.ledger,
        RestoreOrder(workspace=WORKSPACE, location=home, holder="u-parent again"),
        parent="u-parent",
        transport=places.transport,
        source=LocalSource(places.archive(home)),
        scratch=str(places.folder / "home"),
        new_id=new_id,
        progress=say_nothing,
    )
    return returned.restored.report.outcome, returned.children


@pytest.mark.slow
def test_a_parent_wakes_with_its_childrens_work(places: Places) -> None:
    """W.A1: two children work one after the other, each at its own epoch; the parent wakes with both files."""
    home = places.location("A")
    lend(places, home)
    for number, place in enumerate(("B", "C"), 1):
        away = places.location(place)
        places.restore(away, holder=f"child {number}")
        (Path(away.root) / f"child{number}.txt").write_text(f"{number}\n")
        places.save(away, holder=f"child {number}")

    outcome, children = taken_back(places, home)

    assert outcome == "restored"
    assert [(child.holder, child.epoch) for child in children] == [("child 1", 2), ("child 2", 3)]
    assert (Path(home.root) / "child1.txt").exists()
    assert (Path(home.root) / "child2.txt").exists()
    assert taken_back(places, home) == ("adopted", children), "asked again it is the same operation"


def test_nothing_is_lent_that_is_not_saved(places: Places) -> None:
    """A parent hands over only what a durable final save holds, and takes back only what a child has saved."""
    home = places.location("A")
    with pytest.raises(NeedsPerson, match="not all saved"):
        hand_over(places.ledger, read_epochs(places.ledger, WORKSPACE)[-1], parent="u-parent", child="u-child")
    with pytest.raises(NeedsPerson, match="nobody"):
        taken_back(places, home)

    lend(places, home)
    places.restore(places.location("B"), holder="child")

    with pytest.raises(RestoreRefused) as caught:
        taken_back(places, home)
    assert caught.value.report.reason == "unsaved"
