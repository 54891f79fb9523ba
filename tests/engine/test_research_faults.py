"""Every durable write of a researched unit goes wrong once: the end is the same, research is not repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from engine.fake_research import BLOCKED, READY
from engine.fake_world import Killed, World, writes
from engine.research_units import ANSWER, UNIT, Researched
from kit.campaign import FULL
from kit.faulty_ledger import FAULTS, Fault, FaultyLedger

from unlost.attempt.facts import Returned
from unlost.facts.errors import UnlostError
from unlost.ledger.protocol import Ledger
from unlost.ledger.registry import open_ledger
from unlost.research.brief import parse_brief
from unlost.research.submission import Submission, SubmissionUnknown
from unlost.unit.facts import UnitState

INTENDED, STORED, CONFIRMED = 5, 6, 7
"""The appends that store a brief, counted from the admission's on."""


@pytest.fixture
def begin(tmp_path: Path, unit: Researched) -> Iterator[Callable[[int, Fault], Researched]]:
    """A fresh world over a fresh ledger file whose n-th append goes wrong."""
    opened: list[Ledger] = []

    def fresh(at: int, fault: Fault) -> Researched:
        world = World(deeds={"one": writes(b"a", "a1"), "two": writes(b"b", "b1"), "three": writes(b"c", "c1")})
        opened.append(open_ledger(str(tmp_path / f"{len(opened)}.db"), world.clock))
        faulty = FaultyLedger(opened[-1], at=at, fault=fault, death=Killed)
        return Researched(world=world, ledger=faulty, admission=unit.admission)

    yield fresh
    for ledger in opened:
        ledger.close()


def play(unit: Researched) -> UnitState:
    """Run until parked, wait over the original deadline, answer, resume; what failed is said again as people do."""
    unit.world.research.brief = BLOCKED
    assert insist(unit.go_on).phase == "parked"
    unit.world.clock.wait(30 * 3600.0)
    insist(unit.answer)
    return insist(unit.resume)


def insist(deed: Callable[[], UnitState]) -> UnitState:
    """Do it again after a death or an error; one fault is injected, so twice is enough."""
    try:
        return deed()
    except (Killed, UnlostError):
        return deed()


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("fault", FAULTS)
def test_one_fault_at_every_write_comes_to_the_same_end(
    begin: Callable[[int, Fault], Researched], fault: Fault, record_property: Callable[[str, object], None]
) -> None:
    """R.17, R.18, R.40, R.A3c, R.A7b: whichever write fails, dies or is unheard: parked, answered, coded once."""
    counting = begin(0, fault)
    play(counting)
    assert isinstance(counting.ledger, FaultyLedger)
    whole = -counting.ledger.left
    # A small sample takes every fourth write, each kind of fault another one.
    places = range(1, whole + 1) if FULL else range(1 + FAULTS.index(fault), whole + 1, len(FAULTS))

    for at in places:
        unit = begin(at, fault)
        state = play(unit)

        assert isinstance(unit.ledger, FaultyLedger)
        assert unit.ledger.left <= 0, "the fault was never met"
        assert state.phase == "done", at
        assert unit.researchers() == 1, at
        assert unit.world.attempts() == ["one", "two", "three"], at
        assert len(unit.events("question.answered")) == 1, at
        assert all(ANSWER in prompt for prompt in unit.prompts()), at
        assert state.spent.known_usd == pytest.approx(0.5), at
    record_property("faults", len(places))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("at", [INTENDED, STORED, CONFIRMED])
def test_a_fault_while_storing_is_never_saved_and_then_reconciled(
    begin: Callable[[int, Fault], Researched], at: int, fault: Fault
) -> None:
    """R.21, R.37, R.38, R.A4, R.A7b: intent, state or confirmation unheard: no coding then, no model call later."""
    unit = begin(at, fault)
    unit.world.research.brief = READY
    with pytest.raises((Killed, UnlostError)) as told:
        unit.run()
    assert unit.world.orders == []
    if isinstance(told.value, UnlostError):
        assert "not saved" in told.value.message

    assert unit.resume().phase == "done"
    assert unit.researchers() == 1
    assert "three call sites" in unit.prompts()[0]


@pytest.mark.parametrize(
    ("left", "reason"), [(b'{"changed": true}', "research_malformed"), (None, "research_unconfirmed")]
)
def test_an_intent_alone_proves_nothing(
    begin: Callable[[int, Fault], Researched], left: bytes | None, reason: str
) -> None:
    """R.39: with the state missing, an outbox that was changed or emptied meanwhile gives no brief."""
    unit = begin(STORED, "dies before")
    unit.world.research.brief = READY
    with pytest.raises(Killed):
        unit.run()
    _rewrite_outbox(unit.world, left)

    assert unit.resume().reason == reason
    assert unit.researchers() == 1
    assert unit.world.orders == []


def test_another_sound_brief_is_not_taken_for_the_submitted_one(begin: Callable[[int, Fault], Researched]) -> None:
    """R.39: a sound brief with another digest than the intended one ends the research as unconfirmed."""
    unit = begin(STORED, "dies before")
    unit.world.research.brief = READY
    with pytest.raises(Killed):
        unit.run()
    unit.world.research.brief = {**READY, "approach": ["something else"]}
    _rewrite_outbox(unit.world, unit.world.research.left())

    assert unit.resume().reason == "research_unconfirmed"
    assert unit.world.orders == []


def test_a_researcher_that_died_with_its_supervisor_is_followed_by_one_more(unit: Researched) -> None:
    """R.24: killed before it had said anything, research runs once more, out of the same share of the lease."""
    unit.world.research.brief = READY
    unit.world.research.dies = Killed()
    with pytest.raises(Killed):
        unit.run()

    assert unit.resume().phase == "done"
    assert [order.identity for order in unit.world.research.orders] == ["u-1-research-1-1", "u-1-research-2-2"]


@pytest.mark.parametrize("at", [2, 3])
def test_a_later_brief_that_was_not_confirmed_withdraws_the_earlier(unit: Researched, at: int) -> None:
    """R.36, R.37, R.A7: a later submission whose state or confirmation is lost leaves nothing to code on."""
    unit.park()
    unit.answer()
    record = unit.state.research
    assert record is not None
    faulty = FaultyLedger(unit.ledger, at=at, fault="throws before", death=Killed)
    late = Submission(ledger=faulty, stream=UNIT, step="research", attempt=record.identity)
    with pytest.raises(SubmissionUnknown):
        late.submit(parse_brief(unit.world.research.left() or b"", redact=str.upper))

    state = unit.resume()
    assert (state.phase, state.reason) == ("blocked", "research_refused")
    assert unit.world.orders == []


def _rewrite_outbox(world: World, brief: bytes | None) -> None:
    for identity, end in world.research.ended.items():
        world.research.ended[identity] = replace(end, returned=Returned(brief=brief))
