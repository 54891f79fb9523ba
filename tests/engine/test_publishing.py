"""Commits and pushes as the engine makes them: deferred, cut, unheard, uncertain; each effect once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from engine import published_units
from engine.fake_publishing import FIRST, URL
from engine.fake_world import Killed, World, writes
from engine.published_units import REF, UNIT, Published
from engine.test_killed import kill_at
from kit.campaign import FULL
from kit.faulty_ledger import FAULTS, Fault, FaultyLedger

from unlost.engine import step
from unlost.engine.local import Admission
from unlost.engine.points import POINTS
from unlost.engine.revising import Revision, open_revision
from unlost.engine.stream import UnitStream
from unlost.ledger.protocol import Ledger
from unlost.ledger.registry import open_ledger
from unlost.plan.facts import CommitMode, PublishRules
from unlost.publish.facts import CommitReceipt
from unlost.publish.outcomes import CommitRefusal, PushFailure
from unlost.unit.actions import Publish
from unlost.unit.events import Blocked
from unlost.unit.facts import UnitState
from unlost.unit.publish_step import publish_ref, publishing_action
from unlost.unit.report import exit_code, unit_document

OURS = tuple(point for point in POINTS if point.startswith(("commit.", "push.", "request.")))


@pytest.fixture
def unit(world: World, ledger: Ledger, admission: Admission) -> Published:
    """A unit that commits each task and publishes."""
    return Published.of(world, ledger, admission, mode="each_task")


def waits(state: UnitState) -> tuple[str, tuple[str, ...], int]:
    """Why a unit waits, and the exit code that it comes to."""
    assert isinstance(state.waiting, Blocked)
    return state.waiting.reason, state.waiting.refusals, exit_code(state)


def names(unit: Published) -> list[str]:
    """The commits that came to the branch, in order."""
    return [name for name, _ in unit.world.commits.log]


def test_every_task_is_committed_and_the_last_commit_pushed(unit: Published) -> None:
    """Decision 2: a commit after each closing boundary, one push of the newest at the end, the request's text last."""
    state = unit.insist()

    assert state.phase == "done"
    assert names(unit) == ["one 1", "two 1", "three 1"]
    assert [order.tasks for order in unit.world.commits.orders] == [("one",), ("two",), ("three",)]
    assert unit.world.remotes.refs == {REF: unit.world.commits.head}
    assert len(unit.world.remotes.pushes) == 1
    assert "- [x] **one**" in unit.world.remotes.texts[0]
    document = unit_document(state)
    assert [made["tasks"] for made in document["commits"]["made"]] == [["one"], ["two"], ["three"]]
    assert document["publish"]["commit"] == unit.world.commits.head


@pytest.mark.parametrize("mode", ["at_end", "never"])
def test_one_commit_of_everything(world: World, ledger: Ledger, admission: Admission, mode: CommitMode) -> None:
    """Decision 2: `at_end` commits once; with `never` the commit is made apart and only pushed."""
    unit = Published.of(world, ledger, admission, mode=mode)
    state = unit.insist()
    orders = world.commits.orders if mode == "at_end" else world.commits.own_orders

    assert state.phase == "done"
    assert [order.tasks for order in orders] == [("one", "two", "three")]
    assert (world.commits.head == FIRST) == (mode == "never")
    assert world.remotes.refs == {REF: state.commits.tip}


@pytest.mark.parametrize(("refusal", "code"), [("index_locked", 75), ("detached", 3), ("hook_failed", 3)])
def test_a_refused_commit_does_not_stop_the_work(unit: Published, refusal: CommitRefusal, code: int) -> None:
    """What keeps a commit from being is told, the next tasks go on, the end waits; a resume makes all of them."""
    unit.world.commits.refusal = refusal
    waiting = unit.insist()
    assert waits(waiting) == ("commit_refused", (refusal,), code)
    assert unit.world.attempts() == ["one", "two", "three"]
    assert "s3cret" not in str([unit.ledger.body(UNIT, event.sequence) for event in unit.ledger.read(UNIT)])
    again = unit.insist()
    assert waits(again) == ("commit_refused", (refusal,), code)
    unit.world.commits.refusal = None

    assert unit.insist().phase == "done"
    assert names(unit) == ["one 1", "two 1", "three 1"]
    assert unit.world.attempts() == ["one", "two", "three"]


def test_hooks_that_changed_files_lead_to_a_boundary(unit: Published) -> None:
    """After hooks ran nothing is proven: the tree is captured and held against every claim before all else."""
    unit.world.commits.hooks_ran = True
    state = unit.insist()

    assert state.phase == "done"
    kinds = [timed.taken.kind for timed in state.boundaries]
    assert kinds.count("checks") == 3


@pytest.mark.parametrize("failure", ["auth", "unreachable", "rejected"])
def test_a_failed_push_waits_and_is_tried_again(unit: Published, failure: PushFailure) -> None:
    """The remote holds what it held: told by its reason, with the right exit code; a resume pushes, once."""
    unit.world.remotes.push_failure = failure
    waiting = unit.insist()
    assert waits(waiting) == ("publish_refused", (failure,), 75 if failure == "unreachable" else 3)
    assert unit.world.remotes.refs == {}
    unit.world.remotes.push_failure = None

    assert unit.insist().phase == "done"
    assert len(unit.world.remotes.pushes) == 2
    assert unit.world.attempts() == ["one", "two", "three"]


def test_a_lost_reply_is_no_failure(unit: Published) -> None:
    """The push went through though git said otherwise: reading the remote back decides."""
    unit.world.remotes.reply_lost = True

    assert unit.insist().phase == "done"
    assert len(unit.world.remotes.pushes) == 1


def test_an_unknown_outcome_stays_unknown_until_it_can_be_read(unit: Published) -> None:
    """Decision 12, R.57: neither the push nor a look says what stands there: no receipt, and no second push."""
    remotes = unit.world.remotes
    remotes.reply_lost = True
    remotes.unreadable = [None, "unreachable"]
    waiting = unit.insist()
    assert waits(waiting) == ("publish_refused", ("unknown",), 75)
    assert [type(receipt).__name__ for receipt in waiting.origin.receipts] == ["CommitReceipt"] * 3
    remotes.unreadable = ["unreachable"]
    assert waits(unit.insist()) == ("publish_refused", ("unknown",), 75)
    done = unit.insist()

    assert done.phase == "done"
    assert len(remotes.pushes) == 1
    assert unit.kinds("push.") == ["push.intended", "push.uncertain", "push.uncertain", "push.ended"]
    assert type(done.origin.receipts[-1]).__name__ == "PushReceipt"


def test_an_unknown_outcome_that_did_not_happen_is_pushed_again(unit: Published) -> None:
    """Once it is read that nothing happened, the push is made: that is no blind repetition."""
    remotes = unit.world.remotes
    remotes.push_failure = "unreachable"
    remotes.unreadable = [None, "unreachable"]
    assert waits(unit.insist())[1] == ("unknown",)
    remotes.push_failure = None

    assert unit.insist().phase == "done"
    assert unit.kinds("push.") == ["push.intended", "push.uncertain", "push.ended", "push.intended", "push.ended"]


def test_a_branch_that_others_moved_is_left_alone(unit: Published) -> None:
    """Somebody is at the branch before the unit's first push: nothing is pushed, and it is told."""
    unit.world.remotes.refs[REF] = "f" * 40
    waiting = unit.insist()

    assert waits(waiting) == ("publish_refused", ("not_fast_forward",), 3)
    assert unit.world.remotes.pushes == []
    assert unit.world.remotes.refs == {REF: "f" * 40}


def test_a_push_that_others_overtook_is_told(unit: Published) -> None:
    """The lease fails because somebody pushed in between: their commit stands, `remote_rewound` says what was there."""
    remotes = unit.world.remotes
    push = remotes.push

    def overtaken(order: object) -> object:
        remotes.refs[REF] = "e" * 40
        return push(order)  # type: ignore[arg-type]

    remotes.push = overtaken  # type: ignore[method-assign,assignment]  # somebody is faster
    assert waits(unit.insist())[1] == ("not_fast_forward",)
    assert remotes.refs == {REF: "e" * 40}


def test_nothing_beyond_the_beginning_is_not_published(world: World, ledger: Ledger, admission: Admission) -> None:
    """A unit whose work was all there before has nothing to push: it ends without."""
    unit = Published.of(world, ledger, admission, mode="each_task")
    world.commits.needed = False
    state = unit.insist()

    assert state.phase == "done"
    assert world.remotes.pushes == []
    assert unit.kinds("commit.") == ["commit.unneeded"] * 3


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("point", OURS)
def test_killed_anywhere_each_effect_happens_once(
    unit: Published, monkeypatch: pytest.MonkeyPatch, point: str, times: int
) -> None:
    """Decision 12: the supervisor dies at any point of committing and publishing: the same end, nothing twice."""
    monkeypatch.setattr(step, "crash_point", kill_at(point, times))
    state = unit.insist()

    assert state.phase == "done"
    assert names(unit) == ["one 1", "two 1", "three 1"]
    assert unit.world.remotes.refs == {REF: unit.world.commits.head}
    assert len(unit.world.remotes.pushes) == 1
    assert unit.world.attempts() == ["one", "two", "three"]
    assert len(state.origin.receipts) == 4


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("effect", ["commit", "push"])
def test_killed_within_an_effect(unit: Published, effect: str, when: str) -> None:
    """Decision 12: the supervisor dies inside the delivery or the push, before or after it took hold: done once."""
    hand = unit.world.commits if effect == "commit" else unit.world.remotes
    hand.dies, hand.dies_after = Killed(), when == "after"
    state = unit.insist()

    assert state.phase == "done"
    assert names(unit) == ["one 1", "two 1", "three 1"]
    assert len(unit.world.remotes.pushes) == (1 if effect == "commit" or when == "after" else 2)
    assert unit.world.remotes.refs == {REF: unit.world.commits.head}


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_at_every_durable_write(
    tmp_path: Path, admission: Admission, fault: Fault, record_property: Callable[[str, object], None]
) -> None:
    """R.56, decision 12: whichever write fails, dies or is unheard: three commits, one push, the same receipts."""

    def play(at: int) -> tuple[Published, UnitState, FaultyLedger]:
        world = World(deeds={"one": writes(b"a", "a1"), "two": writes(b"b", "b1"), "three": writes(b"c", "c1")})
        opened = open_ledger(str(tmp_path / f"{at}.db"), world.clock)
        faulty = FaultyLedger(opened, at=at, fault=fault, death=Killed)
        unit = Published.of(world, faulty, admission, mode="each_task")
        state = published_units.insist(unit.go_on)
        opened.close()
        return unit, state, faulty

    appends = -play(0)[2].left
    tried = range(1, appends + 1) if FULL else range(1, appends + 1, 3)
    record_property("writes", len(tried))
    for at in tried:
        unit, state, _ = play(at)
        assert state.phase == "done", at
        # An attempt whose intent was not heard of never ran, and the next one has another number.
        assert [name.split(" ")[0] for name in names(unit)] == ["one", "two", "three"], at
        assert len(unit.world.remotes.pushes) == 1, at
        assert len(state.origin.receipts) == 4, at


def test_the_destination_is_that_of_the_admission(unit: Published) -> None:
    """The digest of the address is the one that was noted; what the workspace says later is not asked."""
    unit.world.commits.refusal = "index_locked"
    unit.insist()
    unit.world.commits.remotes = {"origin": "0" * 64}
    unit.world.commits.refusal = None

    assert unit.insist().phase == "done"
    assert [order.url for order in unit.world.remotes.pushes] == [URL]
    assert UnitStream(unit.ledger, UNIT).state.origin.noted is not None


def test_a_commit_is_settled_though_its_task_was_amended_away(
    world: World, ledger: Ledger, admission: Admission
) -> None:
    """Decision 12: killed in a delivery, then amended: what became of the commit is found by its own name alone."""
    unit = Published.of(world, ledger, admission, mode="each_task")
    world.commits.dies, world.commits.dies_after = Killed(), True
    with pytest.raises(Killed):
        unit.go_on()
    stream, hands = UnitStream(ledger, UNIT), world.hands(ledger)
    other = replace(unit.admission.plan, tasks=unit.admission.plan.tasks[1:])
    open_revision(stream, hands, Revision(cause="amend", plan=other, note=None, by="a person"))
    state = unit.insist()

    assert state.phase == "done"
    assert names(unit) == ["one 1", "two 1", "three 1"]
    assert [receipt.tasks for receipt in state.origin.receipts if isinstance(receipt, CommitReceipt)] == [
        ("one",),
        ("two",),
        ("three",),
    ]


def test_an_amended_title_keeps_the_branch_and_an_amended_branch_is_a_new_one(
    world: World, ledger: Ledger, admission: Admission
) -> None:
    """The unit's own branch keeps the name of its first push; what an amendment names is pushed anew."""
    unit = Published.of(world, ledger, admission, mode="each_task")
    plan = replace(unit.admission.plan, publish=PublishRules())
    unit = Published(world=world, ledger=ledger, admission=replace(unit.admission, plan=plan))
    world.remotes.push_failure = "auth"
    unit.insist()
    world.remotes.push_failure = None
    state = unit.insist()
    retitled = replace(state, title="Another title")
    elsewhere = replace(plan, publish=PublishRules(branch="other"))

    [ref] = world.remotes.refs
    assert ref == "refs/heads/unlost/three-tasks-u-1"
    assert publish_ref(retitled, plan) == ref
    assert publish_ref(state, elsewhere) == "refs/heads/other"
    assert publishing_action(state, plan) is None
    assert publishing_action(state, elsewhere) == Publish(commit=world.commits.head)
