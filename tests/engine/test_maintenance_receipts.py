"""Which events may end an action: receipts, writers and actions of others are refused; a fault at every write."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import pytest
from engine.fake_publishing import MAIN
from engine.fake_world import Killed, World, writes
from engine.maintained_units import MOVED, UNIT, Maintained, publishing
from kit.faulty_ledger import FAULTS, Fault, FaultyLedger
from kit.memory_ledger import MemoryLedger, MemoryRows

from unlost.engine.local import Admission
from unlost.facts.errors import UnlostError
from unlost.ledger.events import Event
from unlost.plan.facts import Plan
from unlost.publish.credit import credited_heads
from unlost.publish.facts import RebaseReceipt
from unlost.unit.events import EVENTS
from unlost.unit.facts import UnitState
from unlost.unit.fold import fold
from unlost.unit.maintenance_events import MaintenanceOpened, MaintenanceRepairEnded, MaintenanceSettled
from unlost.unit.maintenance_fold import STEPS
from unlost.unit.origin_step import published_ref
from unlost.unit.report import unit_document


def before(unit: Maintained, kind: str) -> tuple[UnitState, Event, Any]:
    """The state right before an event of this kind, the event, and its payload."""
    events = unit.ledger.read(UNIT)
    place = next(index for index, event in enumerate(events) if event.kind == kind)
    state = fold(events[:place])
    assert state is not None
    return state, events[place], EVENTS.payload(events[place])


@pytest.mark.parametrize(
    "changes",
    [
        {"action": "u-1/maintenance/9"},
        {"action": "u-2/maintenance/1"},
        {"unit": "u-2"},
        {"producer": "u-2-research-1-1"},
        {"target": "refs/heads/other"},
        {"onto": "f" * 40},
        {"branch": "refs/heads/theirs"},
        {"before": "f" * 40},
        {"after": "f" * 40},
        {"writer": "somebody"},
        {"writer": None},
    ],
)
def test_a_receipt_of_another_action_run_or_unit_is_refused(produced: Maintained, changes: dict[str, Any]) -> None:
    """R.58, R.62, R.A13e: an action ends only with the receipt of its exact unit, target, heads, action and run."""
    produced.maintain()
    state, event, payload = before(produced, "maintenance.settled")
    spoiled = replace(payload, receipt=replace(payload.receipt, **changes))

    with pytest.raises(KeyError):
        STEPS[MaintenanceSettled](state, event, spoiled)
    assert STEPS[MaintenanceSettled](state, event, payload).maintenance.open is None


@pytest.mark.parametrize(
    "changes",
    [
        {"action": "u-1/maintenance/2"},
        {"identity": "u-1-maintenance-2-1"},
        {"known": False},
        {"number": 2},
    ],
)
def test_a_repair_of_another_action_or_run_is_no_writer(produced: Maintained, changes: dict[str, Any]) -> None:
    """R.61, R.62, R.A13b: the pointer is taken from the exact action's own run, and only when its end is known."""
    produced.maintain()
    state, event, payload = before(produced, "maintenance.repair_ended")

    with pytest.raises(KeyError):
        STEPS[MaintenanceRepairEnded](state, event, replace(payload, **changes))
    wrong = replace(payload.writer, action="u-1/maintenance/2")
    with pytest.raises(KeyError):
        STEPS[MaintenanceRepairEnded](state, event, replace(payload, writer=wrong))


def test_an_action_of_another_requester_producer_or_number_is_refused(produced: Maintained) -> None:
    """R.59, R.A13a: what is opened names the unit's own requester and producer; a second open action is none."""
    produced.maintain()
    state, event, payload = before(produced, "maintenance.opened")

    for changes in ({"requester": "mallory"}, {"producer": None}, {"action": "u-2/maintenance/1"}, {"number": 2}):
        with pytest.raises(KeyError):
            STEPS[MaintenanceOpened](state, event, replace(payload, **changes))
    once = STEPS[MaintenanceOpened](state, event, payload)
    with pytest.raises(KeyError):
        STEPS[MaintenanceOpened](once, event, replace(payload, number=2, action="u-1/maintenance/2"))


def test_a_rebased_head_is_credited_by_its_target_alone(produced: Maintained) -> None:
    """R.58, R.A12c: the head of a rebase counts for the target that it names; for another target it gives no credit."""
    produced.maintain()
    state = produced.state
    only = tuple(each for each in state.origin.receipts if isinstance(each, RebaseReceipt))
    record = replace(state.origin, receipts=only)
    ref = published_ref(state)

    assert only[0].after in credited_heads(record.standing(UNIT, remote_ref=ref, targets=frozenset({MAIN})))
    for name, target in ((UNIT, "refs/heads/x"), ("u-2", MAIN)):
        assert only[0].after not in credited_heads(record.standing(name, remote_ref=ref, targets=frozenset({target})))


def test_the_document_tells_actions_and_no_text(produced: Maintained) -> None:
    """R.41: number, target, heads, what was paid and what came of it."""
    produced.maintain()
    (row,) = unit_document(produced.state)["maintenance"]

    assert (row["result"], row["paid"], row["conflicts"], row["onto"]) == ("rebased", True, 1, MOVED)
    assert row["after"] == produced.head


@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_at_every_write_comes_to_the_same_end(
    admission: Admission, plan: Plan, fault: Fault, record_property: Any
) -> None:
    """R.63, R.A13c: whichever write of an action fails, dies or is unheard, said again it ends with one repair.

    An agent that never ran was charged for nothing: the next action starts the one that is paid for.
    """
    for at in range(1, 30):
        world = World(deeds={"one": writes(b"a", "a1"), "two": writes(b"b", "b1"), "three": writes(b"c", "c1")})
        plain = MemoryLedger(MemoryRows(), world.clock)
        unit = Maintained.of(world, plain, admission, publishing(plan))
        unit.publish()
        world.maintenance.conflicts = (b"a",)
        unit.move()
        faulty = FaultyLedger(plain, at=at, fault=fault, death=Killed)
        unit.ledger = faulty
        for _ in range(3):
            with contextlib.suppress(Killed, UnlostError):
                unit.maintain()
        action = unit.state.maintenance.actions[-1]
        assert action.settled is not None, at
        assert action.settled.result == "rebased", at
        assert unit.head == world.remotes.refs[action.opened.ref]
        assert len(world.maintenance.orders) == 1
        assert len(world.remotes.pushes) == 2
        if faulty.left > 0:
            record_property("writes", at - 1)
            return
    pytest.fail("an action has more writes than that")
