"""Which unit is meant, and who may drive a workspace."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from kit.hand_clock import HandClock
from kit.memory_ledger import MemoryLedger, MemoryRows

from unlost.app.holding import driving, keep_plan_folder, next_epoch, plan_folder_of, refuse_second_unit
from unlost.app.units import Unit, find_unit, private_question, read_units
from unlost.engine.placing import place_unit
from unlost.facts.errors import TryLater, UsageError
from unlost.host.environment import user_name
from unlost.ledger.events import NewEvent
from unlost.ledger.protocol import LedgerUnavailable
from unlost.unit.events import EVENTS, Admitted, BoundaryTaken, Ended, QuestionAsked
from unlost.unit.proof import Proof
from unlost.unit.terms import Terms

BOUNDARY = BoundaryTaken(
    n=0, kind="admission", task=None, attempt=None, snapshot="s0", tree="t0", proof=Proof(claims={})
)
ADMITTED = Admitted(
    title="A plan",
    digest="d",
    requester="a person",
    workspace="w-1",
    place="here",
    root_digest="r",
    epoch=3,
    tasks=("one",),
    terms=Terms(deadline=None, cost_usd=None, tokens=0, attempts=3, turns=200),
    boundary=BOUNDARY,
)


@pytest.fixture
def rows() -> MemoryRows:
    return MemoryRows()


@pytest.fixture
def ledger(rows: MemoryRows) -> MemoryLedger:
    return MemoryLedger(rows, HandClock())


def _admit(ledger: MemoryLedger, unit: str, *, workspace: str = "w-1", over: bool = False) -> None:
    place_unit(ledger, workspace, unit)
    ledger.append(unit, [EVENTS.new(replace(ADMITTED, workspace=workspace), key="admitted")])
    if over:
        ledger.append(unit, [EVENTS.new(Ended(phase="done", reason=""), key="ended")])


def test_a_unit_is_found_by_a_prefix(ledger: MemoryLedger) -> None:
    """A few digits are enough when they mean one unit; an ambiguous or unknown one is refused with its names."""
    _admit(ledger, "u-aa1", over=True)
    _admit(ledger, "u-aa2", over=True)
    _admit(ledger, "u-ab")

    assert find_unit(ledger, "u-ab", workspace=None) == "u-ab"
    assert find_unit(ledger, "u-aa1", workspace=None) == "u-aa1"
    with pytest.raises(UsageError, match="u-aa1, u-aa2"):
        find_unit(ledger, "u-aa", workspace=None)
    with pytest.raises(UsageError, match="no unit"):
        find_unit(ledger, "u-zz", workspace=None)


def test_without_a_name_the_open_unit_is_meant(ledger: MemoryLedger) -> None:
    """contracts.md: UNIT may be left out when one is open here; else the newest is shown."""
    _admit(ledger, "u-1", over=True)
    _admit(ledger, "u-2")
    _admit(ledger, "u-3", workspace="w-2")

    assert find_unit(ledger, None, workspace="w-1") == "u-2"
    ledger.append("u-2", [EVENTS.new(Ended(phase="done", reason=""), key="ended")])
    assert find_unit(ledger, None, workspace="w-1") == "u-2"
    with pytest.raises(UsageError, match="no unit was ever run here"):
        find_unit(ledger, None, workspace="w-9")


def test_a_damaged_unit_is_named_and_the_others_are_listed(ledger: MemoryLedger, rows: MemoryRows) -> None:
    """A bad row stops only its unit: the list names it and shows every other one."""
    _admit(ledger, "u-1")
    _admit(ledger, "u-2")
    rows.rows["u-1"][0] = (*rows.rows["u-1"][0][:5], "{}", *rows.rows["u-1"][0][6:])
    listing = read_units(ledger, workspace="w-1")

    assert [state.unit for state in listing.states] == ["u-2"]
    assert [error.stream for error in listing.damaged] == ["u-1"]


def test_a_stream_of_another_kind_is_damage_not_a_crash(ledger: MemoryLedger) -> None:
    """A unit's stream that does not begin with an admission cannot be folded, and is told as damage."""
    ledger.append("u-1", [EVENTS.new(Ended(phase="done", reason=""), key="ended")])

    assert [error.stream for error in read_units(ledger).damaged] == ["u-1"]


def test_one_open_unit_on_a_workspace(ledger: MemoryLedger) -> None:
    """A second supervised unit on a workspace is refused with 75 and the name of the first."""
    _admit(ledger, "u-1", over=True)
    refuse_second_unit(ledger, "w-1", 0.0)
    _admit(ledger, "u-2")

    with pytest.raises(TryLater, match="u-2") as caught:
        refuse_second_unit(ledger, "w-1", 0.0)
    assert caught.value.exit_code == 75
    refuse_second_unit(ledger, "w-2", 0.0)


def test_one_supervisor_on_a_workspace(ledger: MemoryLedger, tmp_path: Path) -> None:
    """While a supervisor drives a workspace another one is refused, and names the unit; afterwards it is free."""
    _admit(ledger, "u-1")
    with (
        driving(str(tmp_path), ledger, "w-1"),
        pytest.raises(TryLater, match="u-1"),
        driving(str(tmp_path), ledger, "w-1"),
    ):
        pass
    with driving(str(tmp_path), ledger, "w-1"):
        pass


def test_epochs_only_rise(ledger: MemoryLedger) -> None:
    """Decision 11: each new writer of a workspace has a higher epoch than every one before, whatever its unit."""
    assert next_epoch(ledger, "w-1") == 1
    _admit(ledger, "u-1", over=True)
    assert next_epoch(ledger, "w-1") == 4
    assert next_epoch(ledger, "w-2") == 1


def test_where_a_plan_lay_stays_on_this_machine(tmp_path: Path) -> None:
    """Decision 17: the folder of a plan is kept in the state home alone; an unknown one is the root."""
    keep_plan_folder(str(tmp_path), "u-1", "/somewhere")

    assert plan_folder_of(str(tmp_path), "u-1", "/root") == "/somewhere"
    assert plan_folder_of(str(tmp_path), "u-2", "/root") == "/root"


def test_the_question_is_a_private_body(ledger: MemoryLedger) -> None:
    """R.41: a list carries id and moment; the text is for the requester and the operators, when one unit is shown."""
    _admit(ledger, "u-1")
    asked = QuestionAsked(question="q-1", task="one", attempt=1, left=None)
    ledger.append("u-1", [EVENTS.new(asked, key="q", body=b"Which API?")])
    (state,) = read_units(ledger).states
    unit = Unit(state, private_question(ledger, state, operators=(user_name(),)))

    assert private_question(ledger, state) is None
    assert unit.document["question"]["text"] == "Which API?"
    assert "Which" not in str(Unit(state).document)
    assert (unit.id, unit.phase, unit.outcome, unit.exit_code) == ("u-1", "parked", None, 3)


def test_an_unknown_event_asks_for_a_newer_unlost(ledger: MemoryLedger) -> None:
    """An event written by a newer unlost is not guessed at."""
    _admit(ledger, "u-1")
    ledger.append("u-1", [NewEvent(kind="unit.transcended", key="x")])

    with pytest.raises(LedgerUnavailable, match="newer unlost"):
        read_units(ledger)


def test_other_workspaces_units_are_not_read(ledger: MemoryLedger, rows: MemoryRows) -> None:
    """1,000 parked units elsewhere cost a look nothing: only this workspace's own streams are read."""
    _admit(ledger, "u-1")
    _admit(ledger, "u-2", workspace="w-2")
    rows.rows["u-2"].pop()

    listing = read_units(ledger, workspace="w-1")

    assert [state.unit for state in listing.states] == ["u-1"]
    assert listing.damaged == ()


def test_an_interrupted_admission_is_no_unit(ledger: MemoryLedger) -> None:
    """A unit that was noted and never admitted is not there for anybody."""
    place_unit(ledger, "w-1", "u-1")
    place_unit(ledger, "w-1", "u-1")

    assert read_units(ledger, workspace="w-1").states == ()


def test_a_damaged_note_costs_only_time(ledger: MemoryLedger, rows: MemoryRows) -> None:
    """Should the note of a workspace's units be damaged, all units are looked at, and its own are found."""
    _admit(ledger, "u-1")
    _admit(ledger, "u-2", workspace="w-2")
    rows.rows["units-w-1"].pop()

    assert [state.unit for state in read_units(ledger, workspace="w-1").states] == ["u-1"]
