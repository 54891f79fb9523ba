"""A restore that is killed at any step: the old root or the new one stands, never neither, and the retry finishes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.places import WORKSPACE, ArmedTransport, Places, leavings, local_transport

from unlost.facts.errors import TryLater
from unlost.workspace import saving
from unlost.workspace.events import read_record
from unlost.workspace.facts import Location
from unlost.workspace.restoring import CRASH_POINTS, PLACE_CRASH_POINTS

ONLY_OVER_AN_OLD_ROOT = ("restore_root.exchanged", "restore_root.unparked")
ONLY_BY_GIT = ("restore_root.packs_proven",)
OLD, NEW = "the parent's edit\n", "the child's edit\n"


@pytest.fixture
def places(tmp_path: Path) -> Iterator[Places]:
    """A parent whose root at A is retired, and a child's newer save."""
    made = Places.make(tmp_path / "machines", local_transport())
    made.repository()
    home, away = made.location("A"), made.location("B")
    made.prepare(home)
    (Path(home.root) / "parent.txt").write_text(OLD)
    made.save(home)
    made.restore(away, holder="child")
    (Path(away.root) / "parent.txt").write_text(NEW)
    (Path(away.root) / "child.txt").write_text("new\n")
    made.save(away, holder="child")
    yield made
    made.close()


def standing(location: Location) -> str:
    """What stands at the root; every one of its files must be of the same side."""
    text = (Path(location.root) / "parent.txt").read_text()
    assert (Path(location.root) / "child.txt").exists() == (text == NEW)
    assert (Path(location.root) / "kept/deep/unchanged.txt").read_text() == "unchanged\n"
    assert (Path(location.root) / ".git/HEAD").exists()
    return text


def assert_finishes(places: Places, home: Location) -> None:
    """The same restore again comes to its end under the same epoch, and leaves nothing beside the root."""
    restored = places.restore(home)

    assert restored.report.outcome in ("restored", "adopted")
    assert restored.report.epoch == 3
    assert standing(home) == NEW
    assert leavings(home) == []
    record = read_record(places.ledger, WORKSPACE)
    assert all(each.outcome == "succeeded" for each in record.operations)
    assert len([each for each in record.operations if each.epoch == 3]) == 1


@pytest.mark.slow
@pytest.mark.parametrize("point", [each for each in PLACE_CRASH_POINTS if each not in ONLY_BY_GIT])
def test_a_kill_on_the_place_loses_neither_root(places: Places, point: str) -> None:
    """W.10, W.14: killed at any step on the place the old or the new root stands whole, and the retry finishes."""
    home = places.location("A")

    with pytest.raises(TryLater) as caught:
        places.restore(home, transport=ArmedTransport(places.transport, point))

    assert caught.value.exit_code == 75
    assert "reason=unreachable" in caught.value.message
    assert standing(home) in (OLD, NEW)
    assert_finishes(places, home)


@pytest.mark.slow
@pytest.mark.parametrize("point", [each for each in PLACE_CRASH_POINTS if each not in ONLY_OVER_AN_OLD_ROOT])
def test_a_kill_on_a_new_place_leaves_no_root_or_the_whole_one(places: Places, point: str) -> None:
    """W.10: where nothing stood, a kill at any step leaves nothing or the new root whole, and the retry finishes."""
    new = places.location("C")

    with pytest.raises(TryLater):
        places.restore(new, transport=ArmedTransport(places.transport, point))

    assert not os.path.lexists(new.root) or standing(new) == NEW
    assert_finishes(places, new)


@pytest.mark.slow
@pytest.mark.parametrize("point", CRASH_POINTS)
def test_a_kill_of_the_ledgers_side_is_the_same_operation_again(places: Places, point: str) -> None:
    """W.10: killed between any two steps on this side, the same command goes on with the same operation."""
    home = places.location("A")

    done = subprocess.run(
        [sys.executable, "-m", "kit.places", str(places.folder), "restore", "A", "parent"],
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "UNLOST_CRASH_AT": point},
        capture_output=True,
        check=False,
    )

    assert done.returncode == -9, done.stderr
    assert standing(home) in (OLD, NEW)
    assert_finishes(places, home)


@pytest.mark.slow
@pytest.mark.parametrize("point", saving.CRASH_POINTS)
def test_a_killed_save_is_settled_by_the_next_one(places: Places, point: str) -> None:
    """W.6: killed at any step a save is never open for good: the next one settles it, and alone counts."""
    away = places.location("B")
    argv = [sys.executable, "-m", "kit.places", str(places.folder), "save", "B", "child"]

    done = subprocess.run(
        argv,
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "UNLOST_CRASH_AT": point},
        capture_output=True,
        check=False,
    )
    saved = places.save(away, holder="child")

    assert done.returncode == -9, done.stderr
    before, last = read_record(places.ledger, WORKSPACE).operations[-2:]
    assert before.outcome == ("succeeded" if point == "save.committed" else "failed")
    assert (last.id, last.outcome, last.state) == (saved.operation, "succeeded", "committed")
    assert places.restore(places.location("A")).report.replaced


@pytest.mark.slow
def test_another_writer_settles_what_a_killed_one_left(places: Places) -> None:
    """An overtaken restore that nobody finished is settled by a look at the root, and stands in nobody's way."""
    home = places.location("A")
    with pytest.raises(TryLater):
        places.restore(home, transport=ArmedTransport(places.transport, "restore_root.staged"))
    assert leavings(home) != []

    restored = places.restore(home, holder="another")

    assert (restored.report.outcome, restored.report.epoch) == ("restored", 4)
    assert standing(home) == NEW
    assert leavings(home) == []
    outcomes = [each.outcome for each in read_record(places.ledger, WORKSPACE).operations]
    assert outcomes[-2:] == ["refused", "succeeded"]


@pytest.mark.slow
def test_a_root_that_a_killed_writer_published_is_its_own(places: Places) -> None:
    """Killed after publishing, another writer finds the root restored and unsaved, and asks before it goes on."""
    home = places.location("A")
    with pytest.raises(TryLater):
        places.restore(home, transport=ArmedTransport(places.transport, "restore_root.published"))
    assert standing(home) == NEW

    restored = places.restore(places.location("C"), holder="another", abandon=True)

    assert restored.report.outcome == "restored"
    assert standing(home) == NEW
