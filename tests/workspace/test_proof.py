"""The proof that a root is the workspace's own retired allocation: each of its conditions, one at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import unlost
from unlost.workspace.epochs import Epoch
from unlost.workspace.facts import Operation, Quiescence, RecordState, WorkspaceRecord
from unlost.workspace.proof import authority_is_clean, is_retired_own_allocation, recorded_roots, unsaved_epoch

HOME: dict[str, Any] = {"place": "A", "root_digest": "a" * 64}
AWAY: dict[str, Any] = {"place": "B", "root_digest": "a" * 64}
PREPARED = Operation(id="o-1", number=1, kind="prepare", epoch=1, holder="p", outcome="succeeded", inode=1, **HOME)
SAVED = Operation(
    id="o-2",
    number=2,
    kind="save_final",
    epoch=1,
    holder="p",
    snapshot="s1",
    state="committed",
    quiescence=Quiescence(unknown=False),
    outcome="succeeded",
    **HOME,
)
CHILD = replace(SAVED, id="o-4", number=4, epoch=2, holder="c", snapshot="s2", **AWAY)
RESTORED = replace(PREPARED, id="o-3", number=3, kind="restore", epoch=2, holder="c", **AWAY)


def epoch(number: int, purpose: Any = "move", **where: str) -> Epoch:
    """The n-th writer."""
    return Epoch(workspace="w-1", number=number, holder="p", purpose=purpose, sequence=number, **(where or HOME))


def record(*operations: Operation, epochs: tuple[Epoch, ...] = ()) -> WorkspaceRecord:
    """A record of these operations; a parent at home, a child away, the parent again."""
    return WorkspaceRecord(
        workspace="w-1",
        epochs=epochs or (epoch(1), epoch(2, **AWAY), epoch(3)),
        operations=operations,
        length=len(operations),
    )


def proven(*operations: Operation, epochs: tuple[Epoch, ...] = (), asked: int = 3) -> bool:
    """Whether the home root is proven to be retired."""
    return is_retired_own_allocation(record(*operations, epochs=epochs), epoch=asked, **HOME)


def test_a_root_whose_last_use_is_all_saved_is_retired() -> None:
    """W.1: the operations of this workspace at this place and root prove that its root is retired."""
    assert proven(PREPARED, SAVED, RESTORED, CHILD)


def test_a_place_that_was_never_used_proves_nothing() -> None:
    """W.2: without any use here there is no proof, whatever happened elsewhere."""
    assert not proven()
    assert not proven(RESTORED, CHILD)


def test_a_use_of_this_or_a_later_epoch_forbids_it() -> None:
    """W.3: every use must be of an epoch earlier than the asking writer's."""
    assert not proven(PREPARED, SAVED, asked=1)
    assert not proven(PREPARED, SAVED, replace(PREPARED, id="o-9", number=9, epoch=3))


@pytest.mark.parametrize("kind", ["prepare", "restore", "save_interim"])
def test_the_last_use_must_be_a_final_save(kind: Any) -> None:
    """W.4: a preparation, a restore or an interim save after the final one leaves work that may be unsaved."""
    assert not proven(PREPARED, SAVED, replace(SAVED, id="o-9", number=9, epoch=2, kind=kind))


@pytest.mark.parametrize("outcome", [None, "failed"])
def test_the_final_save_must_have_succeeded(outcome: Any) -> None:
    """W.4: a final save that failed, or whose end nobody recorded, is none."""
    assert not proven(PREPARED, replace(SAVED, outcome=outcome))


@pytest.mark.parametrize(
    "quiescence", [None, Quiescence(unknown=True), Quiescence(unknown=False, active=("u-1-task-1",))]
)
def test_the_final_save_must_have_been_quiet(quiescence: Quiescence | None) -> None:
    """W.5: what ran during the save, or may have, can have written after it."""
    assert not proven(PREPARED, replace(SAVED, quiescence=quiescence))


def test_no_other_save_of_that_epoch_may_be_newer_or_open() -> None:
    """W.6: a newer save of the epoch, at any place, or one whose end is not known, takes the proof away."""
    other = replace(SAVED, id="o-9", number=9, **AWAY)

    assert not proven(PREPARED, SAVED, other)
    assert not proven(PREPARED, replace(other, number=1, outcome=None), SAVED)
    assert proven(PREPARED, replace(other, number=1, outcome="failed"), SAVED)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("staged", False),
        ("uploaded", False),
        ("committed", True),
        ("restored_elsewhere", True),
        ("failed", False),
        ("unknown", False),
        (None, False),
    ],
)
def test_the_snapshot_must_be_there_for_good(state: RecordState | None, *, expected: bool) -> None:
    """W.7: committed or restored elsewhere count; staged, uploaded, failed and unknown do not."""
    assert proven(PREPARED, replace(SAVED, state=state)) is expected


def test_records_without_a_location_do_not_qualify() -> None:
    """W.8: an operation without a place proves nothing, and one that may be a later use forbids."""
    nowhere = replace(SAVED, place=None, root_digest=None)

    assert not proven(PREPARED, nowhere)
    assert not proven(PREPARED, SAVED, replace(nowhere, id="o-9", number=9, epoch=1))
    assert proven(replace(nowhere, id="o-0", number=0, epoch=0), PREPARED, SAVED)


def test_agents_let_in_after_the_save_forbid_it() -> None:
    """W.R3: a later writer that came to run here used the root, even when no operation was recorded."""
    ran = (epoch(1), epoch(2, "run"), epoch(3))

    assert not proven(PREPARED, SAVED, epochs=ran)
    assert proven(PREPARED, SAVED, epochs=(epoch(1, "run"), epoch(2, "run", **AWAY), epoch(3)))


def test_a_refused_restore_is_no_use() -> None:
    """W.2: what left every file untouched does not count, so a refusal is no reason for the next one."""
    refused = replace(PREPARED, id="o-9", number=9, kind="restore", epoch=2, outcome="refused")

    assert proven(PREPARED, SAVED, refused)


def test_authority_is_clean_when_nothing_is_on_its_way() -> None:
    """W.9: the caller holds the newest epoch, no transfer is open, and nothing is uncertain."""
    mine = epoch(3)

    assert authority_is_clean(record(PREPARED, SAVED, RESTORED, CHILD), mine)
    assert not authority_is_clean(record(SAVED, epochs=(mine, epoch(4))), mine)
    assert not authority_is_clean(record(SAVED, replace(RESTORED, outcome=None)), mine)
    assert not authority_is_clean(record(replace(SAVED, state="unknown")), mine)


def test_an_equal_epoch_of_another_holder_has_no_authority() -> None:
    """W.9: the number alone is no right; the holder must be the recorded one."""
    assert not authority_is_clean(record(SAVED), replace(epoch(3), holder="somebody else"))


def test_the_proof_keys_on_the_allocation() -> None:
    """W.24: another record with the same place and root qualifies; the same root at another place does not."""
    again = replace(SAVED, id="o-another-row", number=9)

    assert proven(PREPARED, replace(SAVED, outcome="failed"), again)
    assert not is_retired_own_allocation(record(PREPARED, SAVED), place="C", root_digest="a" * 64, epoch=3)
    assert not is_retired_own_allocation(record(PREPARED, SAVED), place="A", root_digest="b" * 64, epoch=3)


def test_work_without_a_final_save_is_unsaved() -> None:
    """What the newest writer did counts as unsaved until a final save of its epoch is there for good."""
    assert unsaved_epoch(record()) is None
    assert unsaved_epoch(record(PREPARED)) == 1
    assert unsaved_epoch(record(PREPARED, SAVED)) is None
    assert unsaved_epoch(record(PREPARED, SAVED, RESTORED)) == 2
    assert unsaved_epoch(record(PREPARED, SAVED, RESTORED, replace(CHILD, kind="save_interim"))) == 2
    assert unsaved_epoch(record(PREPARED, SAVED, RESTORED, CHILD)) is None
    assert unsaved_epoch(record(PREPARED, SAVED, epochs=(epoch(1), epoch(2, "run")))) == 2


def test_only_recorded_identities_of_this_root_are_known() -> None:
    """A receipt may name an identity that was recorded for this very root, with the folder that it was recorded for."""
    known = replace(PREPARED, identity="1" * 64, inode=7)
    elsewhere = replace(RESTORED, identity="2" * 64, inode=8)
    open_one = replace(PREPARED, identity="3" * 64, inode=None, outcome=None)

    assert recorded_roots((known, elsewhere, open_one), **HOME) == {"1" * 64: 7}


def test_the_proof_is_public() -> None:
    """W.1: a program that drives workspaces asks the very rule that restores ask."""
    assert unlost.is_retired_own_allocation is is_retired_own_allocation
    assert "is_retired_own_allocation" in unlost.__all__
