"""Whether coding may start on research, asked anew before every attempt; and recovery on it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from engine.fake_research import COMMIT, READY
from engine.fake_world import Files
from engine.research_units import REQUESTER, UNIT, Researched, researched

from unlost.attempt.facts import Report
from unlost.engine.advance import advance
from unlost.engine.revising import Revision, open_revision
from unlost.engine.stream import UnitStream
from unlost.facts.errors import NeedsPerson
from unlost.plan.facts import Budget, Plan, Workflow
from unlost.unit.events import Blocked
from unlost.unit.report import exit_code, unit_document

LATER = "b" * 40


@pytest.fixture
def parked(unit: Researched) -> Researched:
    """A unit that waits for its answer: the world may change meanwhile."""
    unit.park()
    return unit


def refused(unit: Researched) -> tuple[str, ...]:
    """Why coding was refused; an agent never started."""
    waiting = unit.state.waiting
    assert isinstance(waiting, Blocked), waiting
    assert waiting.reason == "research_refused"
    assert unit.world.orders == []
    assert exit_code(unit.state) == 3
    return waiting.refusals


def test_a_moved_head_refuses_and_the_same_head_starts(parked: Researched) -> None:
    """R.32, R.A6c: another HEAD than the inspected commit starts no agent; HEAD put back, coding starts."""
    parked.world.research.commit = LATER
    parked.answer()
    parked.resume()

    assert refused(parked) == ("moved_head",)
    assert unit_document(parked.state)["research"]["refused"] == ["moved_head"]
    parked.world.research.commit = COMMIT
    assert parked.resume().phase == "done"
    assert parked.researchers() == 1


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [("instance", "l-2", "foreign_ledger"), ("repository", "other", "changed_tag"), ("commit", None, "moved_head")],
)
def test_another_instance_or_repository_refuses(parked: Researched, field: str, value: object, reason: str) -> None:
    """R.31, R.44, R.A6a, R.A9a: a tag that is not this ledger's, repository's and commit's stops resumed coding."""
    setattr(parked.world.research, field, value)
    parked.answer()
    parked.resume()

    assert refused(parked) == (reason,)


@pytest.mark.parametrize(("state", "reason"), [("revoked", "revoked_source"), ("unknown", "unknown_source")])
def test_sources_are_rechecked_before_an_agent_starts(parked: Researched, state: str, reason: str) -> None:
    """R.34, R.35, R.A6d: a source that is revoked or unknown now refuses before any agent, and is named by its id."""
    parked.world.research.states = {"a": state}  # type: ignore[dict-item]  # the parameters are the literal's words
    parked.answer()
    parked.resume()

    assert refused(parked) == (reason,)
    waiting = parked.state.waiting
    assert isinstance(waiting, Blocked)
    assert [name[:2] for name in waiting.sources] == ["s-"]


def test_every_attempt_is_checked_not_only_the_first(unit: Researched) -> None:
    """R.34: what was fine for the first task refuses the second when it is not so any more."""
    unit.world.research.brief = READY

    def revoke(files: Files, number: int) -> Report | None:
        files[b"a"] = "a1"
        unit.world.research.states = {"a": "revoked"}
        return None

    unit.world.deeds["one"] = revoke
    state = unit.run()

    assert (state.phase, state.reason) == ("blocked", "research_refused")
    assert unit.world.attempts() == ["one"]
    unit.world.research.states = {}
    assert unit.resume().phase == "done"


def test_the_units_own_commit_is_progress_and_a_strangers_is_not(unit: Researched) -> None:
    """R.32, R.33: a head that this unit's own attempt left on the branch goes on; another one refuses."""
    unit.world.research.brief = READY

    def commit(files: Files, number: int) -> Report | None:
        files[b"a"] = "a1"
        unit.world.research.commit = LATER
        return None

    unit.world.deeds["one"] = commit
    first = unit.run()
    assert (first.phase, first.reason) == ("blocked", "research_refused")
    record = unit.state.research
    assert record is not None
    unit.world.research.heads_of = dict.fromkeys(record.own, LATER)

    assert unit.resume().phase == "done"


def test_an_amendment_keeps_the_original_research(parked: Researched, plan: Plan) -> None:
    """R.18, R.33: after an amendment the unit codes on its one research; no second researcher is started."""
    parked.answer()
    stream, hands = UnitStream(parked.ledger, UNIT), parked.world.hands(parked.ledger)
    amended = researched(replace(plan, goal="Do it better."))
    open_revision(stream, hands, Revision(cause="amend", plan=amended, note=None, by=REQUESTER))
    state = advance(stream, hands)

    assert (state.phase, state.revision) == ("done", 2)
    assert parked.researchers() == 1
    assert "<<<UNTRUSTED research " in parked.prompts()[0]


def test_an_amendment_may_leave_research_out(parked: Researched, plan: Plan) -> None:
    """R.27: a later revision's own recorded selection counts: without the step nothing refuses coding."""
    parked.world.research.commit = LATER
    parked.answer()
    stream, hands = UnitStream(parked.ledger, UNIT), parked.world.hands(parked.ledger)
    amended = replace(plan, workflow=Workflow(steps=("code",)))
    open_revision(stream, hands, Revision(cause="amend", plan=amended, note=None, by=REQUESTER))

    assert advance(stream, hands).phase == "done"
    assert "<<<UNTRUSTED research " not in parked.prompts()[0]


def test_failed_research_may_be_tried_again_in_a_later_revision(unit: Researched, plan: Plan) -> None:
    """R.16, R.18: only a person's new revision starts another researcher, and only after one that failed."""
    assert unit.run().reason == "research_no_brief"
    unit.world.research.brief = READY
    stream, hands = UnitStream(unit.ledger, UNIT), unit.world.hands(unit.ledger)
    open_revision(stream, hands, Revision(cause="amend", plan=researched(plan), note=None, by=REQUESTER))
    state = advance(stream, hands)

    assert state.phase == "done"
    assert unit.researchers() == 2
    assert state.spent.known_usd == pytest.approx(2 * 0.2 + 3 * 0.1)


def _recover(unit: Researched) -> None:
    stream, hands = UnitStream(unit.ledger, UNIT), unit.world.hands(unit.ledger)
    open_revision(stream, hands, Revision(cause="recover", plan=stream.plan, note=None, by=REQUESTER))


def test_recovery_keeps_research_its_price_and_the_deadline(parked: Researched) -> None:
    """R.47, R.48, R.50, R.A11: recovered on its own record, the unit has spent what it spent and renews nothing."""
    parked.answer()
    before = parked.state
    parked.world.clock.wait(60)
    _recover(parked)
    state = parked.state

    assert (state.revision, state.spent, state.terms.deadline) == (2, before.spent, before.terms.deadline)
    assert parked.resume().phase == "done"
    assert parked.researchers() == 1


@pytest.mark.parametrize("field", ["instance", "repository"])
def test_recovery_is_refused_on_a_foreign_tag(parked: Researched, field: str) -> None:
    """R.49, R.A11: research of another ledger or repository gives no recovery credit, and nothing is claimed."""
    parked.answer()
    setattr(parked.world.research, field, "other")
    before = len(parked.ledger.read(UNIT))
    with pytest.raises(NeedsPerson):
        _recover(parked)

    assert len(parked.ledger.read(UNIT)) == before


def test_recovery_is_refused_when_the_price_is_unknown(unit: Researched, plan: Plan) -> None:
    """R.49, R.A11: an unknown price under a cost cap gives no recovery credit."""
    unit.admission = replace(unit.admission, plan=replace(researched(plan), budget=Budget(cost_usd=9.0)))
    unit.world.research.brief, unit.world.research.cost_usd = READY, None
    assert unit.run().reason == "price_unknown"

    with pytest.raises(NeedsPerson, match="price is unknown"):
        _recover(unit)


def test_recovery_is_refused_on_an_incomplete_history(unit: Researched) -> None:
    """R.49: a researcher that nobody accounted for yet is no history to recover on."""
    unit.world.research.dies = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        unit.run()

    with pytest.raises(NeedsPerson, match="not accounted for"):
        _recover(unit)
