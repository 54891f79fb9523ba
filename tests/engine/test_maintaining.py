"""Maintenance in a world in memory: what is opened, paid for, published, refused, and never repeated."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from engine.fake_publishing import MAIN
from engine.fake_reviews import finding, findings
from engine.fake_world import Killed, World
from engine.maintained_units import AGAIN, MOVED, UNIT, Maintained, publishing

from unlost.agents.protocol import RateLimit
from unlost.attempt.facts import Report
from unlost.engine.local import Admission
from unlost.facts.errors import NeedsPerson, UsageError
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import Budget, Plan, Scope
from unlost.publish.facts import RebaseReceipt
from unlost.unit.origin_step import published_ref


@pytest.fixture
def unit(world: World, ledger: Ledger, admission: Admission, plan: Plan) -> Maintained:
    made = Maintained.of(world, ledger, admission, publishing(plan))
    made.publish()
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


def test_a_provider_that_sends_the_agent_away_takes_no_round(produced: Maintained) -> None:
    """R.59, R.63: a limit of the rate is no verdict on the repair: its round is given back, and it is tried again."""
    produced.world.maintenance.limit = RateLimit(resets_at=None)
    produced.world.maintenance.error = "rate limited"
    limited = produced.maintain()
    produced.world.maintenance.limit = produced.world.maintenance.error = None
    action = produced.maintain()

    assert limited is not None
    assert limited.settled is not None
    assert (limited.settled.result, limited.is_paid) == ("limited", False)
    assert action is not None
    assert action.settled is not None
    assert action.settled.result == "rebased"


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
