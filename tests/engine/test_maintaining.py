"""Maintenance in a world in memory: what is opened, paid for, published, refused, and never repeated."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from typing import Any

import pytest
from engine.fake_publishing import MAIN
from engine.fake_research import READY
from engine.fake_reviews import finding, findings
from engine.fake_world import Killed, World, writes
from engine.maintained_units import AGAIN, MOVED, UNIT, Maintained, publishing
from kit.faulty_ledger import FAULTS, Fault, FaultyLedger
from kit.memory_ledger import MemoryLedger, MemoryRows

from unlost.attempt.facts import Report
from unlost.engine.local import Admission
from unlost.facts.errors import NeedsPerson, UnlostError, UsageError
from unlost.ledger.events import Event
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import Budget, Plan, Scope
from unlost.publish.credit import credited_heads
from unlost.publish.facts import RebaseReceipt
from unlost.unit.events import EVENTS
from unlost.unit.facts import UnitState
from unlost.unit.fold import fold
from unlost.unit.maintenance_events import MaintenanceOpened, MaintenanceRepairEnded, MaintenanceSettled
from unlost.unit.maintenance_fold import STEPS
from unlost.unit.origin_step import published_ref
from unlost.unit.report import unit_document

FULL = ("research", "code", "publish")


@pytest.fixture
def unit(world: World, ledger: Ledger, admission: Admission, plan: Plan) -> Maintained:
    made = Maintained.of(world, ledger, admission, publishing(plan))
    made.publish()
    return made


@pytest.fixture
def produced(world: World, ledger: Ledger, admission: Admission, plan: Plan) -> Maintained:
    """A unit with a producer, published, whose target moved into a conflict."""
    world.research.brief = READY
    made = Maintained.of(world, ledger, admission, publishing(plan, *FULL))
    world.commits.moved = lambda head: setattr(world.research, "commit", head)
    made.publish()
    world.maintenance.conflicts = (b"a",)
    made.move()
    return made


def test_a_target_that_did_not_move_opens_nothing(unit: Maintained) -> None:
    """R.64: what the branch holds already is no reason for anything."""
    unit.world.maintenance.contained = {unit.world.remotes.refs[MAIN]}

    assert unit.maintain() is None
    assert unit.events("maintenance.opened") == []


def test_a_clean_rebase_is_published_with_its_receipt(unit: Maintained) -> None:
    """R.58, R.64: the receipt names unit, action, target and both heads; no agent ran, nothing was spent."""
    before, spent = unit.head, unit.state.spent
    unit.move()
    action = unit.maintain()
    receipts = [each for each in unit.state.origin.receipts if isinstance(each, RebaseReceipt)]

    assert action is not None
    assert action.settled is not None
    assert receipts == [action.settled.receipt]
    assert (receipts[0].action, receipts[0].target, receipts[0].onto) == (f"{UNIT}/maintenance/1", MAIN, MOVED)
    assert (receipts[0].before, receipts[0].after, receipts[0].writer) == (before, unit.head, None)
    assert unit.state.spent == spent
    assert unit.state.phase == "done"
    assert unit.state.commits.tip == unit.head


def test_the_next_action_goes_on_from_the_last_receipt(unit: Maintained) -> None:
    """R.33, R.A12c: a second move is rebased from where the first one left the work, by an action of its own."""
    unit.move()
    unit.maintain()
    first = unit.head
    unit.move(AGAIN)
    action = unit.maintain()

    assert action is not None
    assert (action.opened.action, action.opened.before, action.opened.onto) == (f"{UNIT}/maintenance/2", first, AGAIN)
    assert action.settled is not None
    assert action.settled.result == "rebased"


def test_a_conflict_is_repaired_once_under_producer_target_lease_and_round(produced: Maintained) -> None:
    """R.59, R.61, R.A13a, R.A13b: the pointer names producer, brief, head and action; one charge, one receipt."""
    before, spent = produced.head, produced.state.spent
    action = produced.maintain()
    state = produced.state
    writer = state.origin.writer

    assert action is not None
    assert action.settled is not None
    assert action.settled.receipt is not None
    assert state.origin.producer is not None
    assert writer is not None
    assert (writer.kind, writer.action, writer.head) == ("maintenance", action.opened.action, before)
    assert (writer.producer, writer.brief) == (state.origin.producer.attempt, state.origin.producer.brief)
    assert action.settled.receipt.writer == writer.identity
    assert action.opened.requester == state.requester
    assert state.spent.usd == pytest.approx(spent.usd + 0.4)
    assert (len(produced.world.maintenance.orders), state.maintenance.paid_rounds) == (1, 1)
    prompt = produced.world.maintenance.orders[0].prompt.decode()
    assert prompt.count("<<<UNTRUSTED research ") == 1
    assert prompt.index("Do all three.") < prompt.index("<<<UNTRUSTED research ")
    assert '- "a"' in prompt


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda world: world.research.states.update({"a": "revoked"}), "revoked_source"),
        (lambda world: world.research.states.update({"https://x.test": "unknown"}), "unknown_source"),
        (lambda world: setattr(world.research, "instance", "l-2"), "foreign_ledger"),
        (lambda world: setattr(world.research, "repository", "s" * 64), "changed_tag"),
    ],
)
def test_what_the_producer_rests_on_is_asked_before_the_model(produced: Maintained, spoil: Any, reason: str) -> None:
    """R.60, R.A13d: a revoked or unknown source, another ledger or repository: no agent, no charge, exit 3 stays."""
    spoil(produced.world)
    action = produced.maintain()

    assert action is not None
    assert action.settled is not None
    assert action.settled.result == "refused"
    assert reason in action.settled.refusals
    assert produced.world.maintenance.orders == []
    assert not action.is_paid


def test_a_target_that_moves_again_starts_no_model(produced: Maintained) -> None:
    """R.59, R.A13d: the exact target is read once more right before the agent; another one is the next action's."""
    reads = produced.world.remotes.read
    merge = produced.world.maintenance.rebase

    def moving(**order: str) -> Any:
        produced.move(AGAIN)
        return merge(**order)

    produced.world.maintenance.rebase = moving  # type: ignore[method-assign]
    action = produced.maintain()

    assert reads("origin", "", MAIN).oid == AGAIN
    assert action is not None
    assert action.settled is not None
    assert action.settled.result == "target_moved"
    assert produced.world.maintenance.orders == []


def test_a_legacy_unit_is_repaired_without_a_producer(unit: Maintained) -> None:
    """R.64, R.A13c: a unit without research gains no producer, no pointer and no gate, and is charged alike."""
    unit.world.maintenance.conflicts = (b"a",)
    unit.move()
    action = unit.maintain()

    assert action is not None
    assert action.settled is not None
    assert (action.settled.result, action.is_paid) == ("rebased", True)
    assert unit.state.origin.producer is None
    assert unit.state.origin.writer is None


def test_an_unknown_end_gives_no_credit_and_is_not_replayed(produced: Maintained) -> None:
    """R.63, R.A13c: charged once; the outcome stays unknown, no writer, no price of zero, and no second agent."""
    writer = produced.state.origin.writer
    produced.world.maintenance.dies = Killed()
    with pytest.raises(Killed):
        produced.maintain()
    action = produced.maintain()
    with pytest.raises(NeedsPerson, match="not paid for again"):
        produced.maintain()

    assert action is not None
    assert action.settled is not None
    assert action.settled.result == "unknown"
    assert produced.state.origin.writer == writer
    assert produced.state.spent.known_usd is None
    assert produced.state.maintenance.paid_rounds == 1
    assert len(produced.world.maintenance.orders) == 1
    assert len(produced.events("maintenance.repair_intended")) == 1


def test_an_end_that_evidence_shows_is_taken_over(produced: Maintained) -> None:
    """R.61, R.A13b: reconciled from the repair's own record, the same writer and receipt stand, no agent runs again."""
    run = produced.world.maintenance.repair

    def unheard(*given: Any, **named: Any) -> Any:
        run(*given, **named)
        raise Killed

    produced.world.maintenance.repair = unheard  # type: ignore[method-assign]
    with pytest.raises(Killed):
        produced.maintain()
    action = produced.maintain()

    assert action is not None
    assert action.settled is not None
    assert action.settled.result == "rebased"
    assert action.ended is not None
    assert (action.ended.settled, action.ended.known) == (True, True)
    assert action.settled.receipt is not None
    assert action.settled.receipt.writer == action.ended.identity
    assert len(produced.world.maintenance.orders) == 1


@pytest.mark.parametrize(
    ("left", "result"),
    [
        ({"marked": (b"a",)}, "unresolved"),
        ({"error": "it broke"}, "agent_failed"),
        ({"report": Report(outcome="blocked", reason="no idea", paths=())}, "agent_failed"),
        ({"reason": "idle", "error": "idle"}, "agent_failed"),
    ],
)
def test_a_repair_that_is_not_whole_is_not_published(produced: Maintained, left: dict[str, Any], result: str) -> None:
    """R.63: marks that stand, an error, a report of blocked: the branch stays, the same is not paid for again."""
    head = produced.head
    for name, value in left.items():
        setattr(produced.world.maintenance, name, value)
    action = produced.maintain()

    assert action is not None
    assert action.settled is not None
    assert action.settled.result == result
    assert produced.head == head
    with pytest.raises(NeedsPerson, match="not paid for again"):
        produced.maintain()
    produced.move(AGAIN)
    assert produced.maintain() is not None


def test_a_repair_outside_the_scope_is_named(world: World, ledger: Ledger, admission: Admission, plan: Plan) -> None:
    """N.27: what it changed beside the conflict and outside the scope is named, and nothing is published."""
    scoped = replace(publishing(plan), scope=Scope(paths=("a", "b", "c")))
    unit = Maintained.of(world, ledger, admission, scoped)
    unit.publish()
    world.maintenance.conflicts = (b"x",)
    world.maintenance.touched = (b"a", b"x", b"y")
    unit.move()
    action = unit.maintain()

    assert action is not None
    assert action.settled is not None
    assert (action.settled.result, action.settled.paths) == ("out_of_scope", (b"y",))


def test_rounds_of_review_and_maintenance_are_one_allowance(
    world: World, ledger: Ledger, admission: Admission, plan: Plan
) -> None:
    """R.59: with no paid round left a conflict waits for a person, and nothing was paid."""
    unit = Maintained.of(world, ledger, admission, publishing(plan, rounds=0))
    unit.publish()
    world.maintenance.conflicts = (b"a",)
    unit.move()
    action = unit.maintain()

    assert action is not None
    assert action.settled is not None
    assert (action.settled.result, action.is_paid) == ("no_round", False)


def test_the_lease_is_the_units_own_and_only_a_person_gives_more(
    world: World, ledger: Ledger, admission: Admission, plan: Plan
) -> None:
    """R.50, R.59: after the deadline no repair is paid for; `--extend` is a person's word, on record with it."""
    capped = replace(publishing(plan), budget=Budget(deadline=100.0))
    unit = Maintained.of(world, ledger, admission, capped)
    unit.publish()
    world.maintenance.conflicts = (b"a",)
    unit.move()
    world.clock.wait(1000.0)
    refused = unit.maintain()
    allowed = unit.maintain(extend=3600.0)

    assert refused is not None
    assert refused.settled is not None
    assert refused.settled.result == "lease"
    assert allowed is not None
    assert allowed.settled is not None
    assert allowed.settled.result == "rebased"
    assert allowed.opened.terms is not None


def test_a_delta_review_reads_only_and_gains_no_producer(
    world: World, ledger: Ledger, admission: Admission, plan: Plan
) -> None:
    """R.64, R.A13a: the delta is read once before it is published; its findings start no coding round."""
    unit = Maintained.of(world, ledger, admission, publishing(plan, "code", "review", "publish"))
    world.reviews.answers = [findings(), findings(), findings(finding("a"))]
    unit.publish()
    unit.move()
    first = unit.maintain()
    head = unit.head
    unit.move(AGAIN)
    second = unit.maintain()

    assert first is not None
    assert first.settled is not None
    assert first.settled.result == "rebased"
    assert [event.facts["kind"] for event in unit.events("review.opened")] == ["unit", "delta", "delta"]
    assert second is not None
    assert second.settled is not None
    assert (second.settled.result, unit.head) == ("findings", head)
    assert unit.state.origin.producer is None
    assert unit.events("repair.opened") == []
    assert unit.state.phase == "done"


def test_a_branch_that_others_moved_is_left_alone(unit: Maintained) -> None:
    """R.57: a remote head that no receipt names gives no credit, and is not pushed over."""
    ref = published_ref(unit.state)
    assert ref is not None
    unit.world.remotes.refs[ref] = "f" * 40
    unit.move()

    with pytest.raises(NeedsPerson, match="does not hold what"):
        unit.maintain()
    assert unit.events("maintenance.opened") == []


def test_a_remote_that_cannot_be_read_opens_nothing(unit: Maintained) -> None:
    """Decision 12: nothing is known, so nothing is begun."""
    unit.move()
    unit.world.remotes.unreadable = [None, "unreachable"]

    with pytest.raises(NeedsPerson, match="cannot be read"):
        unit.maintain()
    assert unit.events("maintenance.opened") == []


def test_a_push_whose_reply_is_lost_is_settled_by_the_remote(unit: Maintained) -> None:
    """R.63: killed after the push, the next call asks the remote, records the receipt, pushes no second time."""
    unit.move()
    unit.world.remotes.dies, unit.world.remotes.dies_after = Killed(), True
    with pytest.raises(Killed):
        unit.maintain()
    action = unit.maintain()

    assert action is not None
    assert action.settled is not None
    assert action.settled.result == "rebased"
    assert len(unit.world.remotes.pushes) == 2
    assert unit.world.remotes.refs[action.opened.ref] == unit.head


def test_a_unit_that_is_not_done_is_refused(world: World, ledger: Ledger, admission: Admission, plan: Plan) -> None:
    """R.64: only finished, published work is maintained."""
    unit = Maintained.of(world, ledger, admission, replace(publishing(plan), budget=Budget(cost_usd=0.1)))
    with pytest.raises(AssertionError, match="paused"):
        unit.publish()

    with pytest.raises(UsageError, match="only finished work"):
        unit.maintain()


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
