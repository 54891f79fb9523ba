"""Recovery of units that research, review and publish: on their own record alone, with what they really spent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from engine.fake_publishing import MAIN
from engine.fake_research import COMMIT, READY
from engine.fake_reviews import finding, findings
from engine.fake_world import Killed, World
from engine.maintained_units import publishing

from unlost.engine.advance import advance
from unlost.engine.local import Admission, Resumption, admit, resume
from unlost.engine.revising import Revision, open_revision
from unlost.engine.stream import UnitStream
from unlost.facts.errors import NeedsPerson
from unlost.ledger.protocol import Ledger
from unlost.ledger.registry import open_ledger
from unlost.plan.facts import Budget, CommitRules, Plan
from unlost.unit.facts import UnitState

UNIT = "u-1"
EVERY = ("research", "code", "review", "publish")


def begun(world: World, ledger: Ledger, admission: Admission, plan: Plan) -> UnitState:
    """The unit, carried to its end or its first wait."""
    hands = world.hands(ledger)
    world.remotes.refs.setdefault(MAIN, world.commits.head)
    return advance(admit(hands, replace(admission, plan=plan)), hands)


def recovered(world: World, ledger: Ledger) -> UnitState:
    """A person recovers it; nothing is started."""
    stream = UnitStream(ledger, UNIT)
    open_revision(
        stream, world.hands(ledger), Revision(cause="recover", plan=stream.approved, note=None, by="a person")
    )
    return stream.state


def resumed(world: World, ledger: Ledger) -> UnitState:
    """A person resumes it."""
    stream = UnitStream(ledger, UNIT)
    return resume(stream, world.hands(ledger), Resumption(by="a person", epoch=stream.state.epoch + 1))


def revisions(ledger: Ledger) -> int:
    """How many revisions were opened."""
    return sum(event.kind == "revision.opened" for event in ledger.read(UNIT))


@pytest.fixture
def failing(world: World, ledger: Ledger, admission: Admission, plan: Plan) -> UnitState:
    """Researched, coded, reviewed, and then failed by a check of the plan after the repair."""
    world.research.brief = READY
    world.commits.moved = lambda head: setattr(world.research, "commit", head)
    world.deeds["repair/1"] = lambda files, number: files.__setitem__(b"a", "worse")
    world.verdicts["suite"] = lambda files: files[b"a"] != "worse"
    world.reviews.answers = [findings(finding("a")), findings()]
    capped = replace(publishing(plan, *EVERY), budget=Budget(cost_usd=9.0, deadline=5000.0))
    state = begun(world, ledger, admission, capped)
    assert (state.phase, state.reason) == ("failed", "checks_failed")
    return state


def test_what_was_really_spent_is_charged_and_nothing_is_renewed(
    world: World, ledger: Ledger, failing: UnitState
) -> None:
    """R.48, R.50, R.A11: research, coding, review and repair stay spent; deadline and cost cap stay as they were."""
    world.clock.wait(700.0)
    state = recovered(world, ledger)

    assert failing.spent.usd == pytest.approx(0.2 + 4 * 0.1 + 0.3)
    assert state.spent == failing.spent
    assert (state.terms.deadline, state.terms.cost_usd) == (failing.terms.deadline, failing.terms.cost_usd)
    assert state.revision == 2


def test_a_recovered_unit_keeps_producer_writer_and_receipts(world: World, ledger: Ledger, failing: UnitState) -> None:
    """R.53, R.54, R.A12a: the next revision inherits the original source, researches nothing again and ends."""
    state = recovered(world, ledger)
    assert state.origin == failing.origin
    world.verdicts.clear()
    done = resumed(world, ledger)

    assert done.phase == "done"
    assert len(world.research.orders) == 1
    assert done.origin.producer == failing.origin.producer
    assert [task.id for task in done.tasks] == ["one", "two", "three", "repair/1"]


def test_rounds_that_were_paid_stay_paid(world: World, ledger: Ledger, failing: UnitState) -> None:
    """R.50: a recovery renews no round: the allowance counts those of the revision before."""
    state = recovered(world, ledger)

    assert state.review is not None
    assert state.review.paid_rounds == 1


def test_an_unknown_price_under_a_cap_is_refused(
    world: World, ledger: Ledger, admission: Admission, plan: Plan
) -> None:
    """R.49, R.A11, decision 14: a reviewer whose price nobody knows gives no credit: no revision is opened."""
    world.reviews.cost_usd = None
    capped = replace(publishing(plan, "code", "review"), budget=Budget(cost_usd=9.0))
    world.reviews.answers = [None]
    assert begun(world, ledger, admission, capped).reason == "review_failed"

    with pytest.raises(NeedsPerson, match="a price is unknown"):
        recovered(world, ledger)
    assert revisions(ledger) == 0


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda world: setattr(world.research, "instance", "l-2"), "foreign ledger"),
        (lambda world: setattr(world.research, "repository", "s" * 64), "changed tag"),
        (lambda world: world.research.states.update({"a": "revoked"}), "revoked source"),
    ],
)
def test_a_foreign_or_changed_source_is_refused(
    world: World, ledger: Ledger, failing: UnitState, spoil: Any, words: str
) -> None:
    """R.47, R.49: another ledger, another repository, a withdrawn source: refused, and no revision is opened."""
    spoil(world)

    with pytest.raises(NeedsPerson, match=words):
        recovered(world, ledger)
    assert revisions(ledger) == 0


def test_a_push_nobody_heard_of_is_asked_for_first(
    world: World, ledger: Ledger, admission: Admission, plan: Plan
) -> None:
    """R.49, decision 12: the remote says what a push came to; until it does, nothing is recovered on it."""
    world.remotes.dies, world.remotes.dies_after = Killed(), True
    with pytest.raises(Killed):
        begun(world, ledger, admission, publishing(plan))
    world.remotes.unreadable = ["unreachable"]

    with pytest.raises(NeedsPerson, match="what its newest push came to"):
        recovered(world, ledger)
    assert revisions(ledger) == 0
    state = recovered(world, ledger)
    assert state.revision == 2
    assert state.publishing.published == world.commits.head
    assert len(world.remotes.pushes) == 1


def test_a_reviewer_nobody_heard_of_is_refused(world: World, ledger: Ledger, admission: Admission, plan: Plan) -> None:
    """R.49: an incomplete history gives no credit; `resume` settles it, then a recovery may build on it."""
    world.reviews.dies = Killed()
    with pytest.raises(Killed):
        begun(world, ledger, admission, publishing(plan, "code", "review"))

    with pytest.raises(NeedsPerson, match="its reviewer is not accounted for"):
        recovered(world, ledger)
    assert revisions(ledger) == 0


def test_a_unit_without_research_is_recovered_as_before(
    world: World, ledger: Ledger, admission: Admission, plan: Plan
) -> None:
    """R.28, R.64: a legacy unit keeps its recorded selection and gains no requirement."""
    world.verdicts["suite"] = lambda files: False
    begun(world, ledger, admission, plan)
    state = recovered(world, ledger)

    assert state.steps == ("code",)
    assert state.origin.producer is None
    world.verdicts.clear()
    assert resumed(world, ledger).phase == "done"
    assert world.research.orders == []
    assert world.reviews.orders == []


@pytest.mark.parametrize(("steps", "researchers"), [(EVERY, 1), (("review",), 0), (("code", "review"), 0)])
def test_a_fresh_unit_on_a_branch_of_others_follows_its_own_selection(
    world: World, admission: Admission, plan: Plan, tmp_path: Path, steps: tuple[str, ...], researchers: int
) -> None:
    """R.27, R.28, R.A12a: research only where the admitted workflow has it; a review-only unit gains none."""
    ledger = open_ledger(str(tmp_path / "ledger.db"), world.clock)
    world.research.brief = {**READY, "commit": COMMIT}
    state = begun(world, ledger, admission, replace(publishing(plan, *steps), commit=CommitRules()))
    ledger.close()

    assert state.phase == "done"
    assert len(world.research.orders) == researchers
