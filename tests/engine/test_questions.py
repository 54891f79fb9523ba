"""Questions that survive: who may answer, which answer counts, what it gives back, when silence ends the wait."""

from __future__ import annotations

from dataclasses import replace

import pytest
from engine.fake_research import BLOCKED
from engine.fake_world import Files
from engine.research_units import ANSWER, UNIT, Researched, researched

from unlost.attempt.facts import Report
from unlost.engine.stream import UnitStream
from unlost.facts.errors import NeedsPerson, UnlostError, UsageError
from unlost.plan.facts import Budget, Plan
from unlost.unit.events import EVENTS, StopAsked
from unlost.unit.facts import Parked
from unlost.unit.questions import as_of
from unlost.unit.report import exit_code, unit_document

WEEK = 7 * 86400.0


def asks(files: Files, number: int) -> Report | None:
    """A coding agent that asks once, then works."""
    if number == 1:
        return Report(outcome="blocked", reason="Which port?", paths=())
    files[b"a"] = "a1"
    return None


def test_a_blocked_brief_parks_the_unit(unit: Researched) -> None:
    """R.11, R.29, R.A3b: exit 3, a durable question with an id, no coding agent, the brief still blocked."""
    state = unit.park()
    asked = unit.events("question.asked")[0]

    assert (state.phase, exit_code(state)) == ("parked", 3)
    assert unit.world.orders == []
    assert unit.ledger.body(UNIT, asked.sequence) == BLOCKED["blocked_reason"].encode()
    assert unit_document(state)["question"]["id"] == asked.facts["question"]
    assert unit_document(state)["research"]["state"] == "blocked"


def test_a_parked_unit_stays_parked_without_an_answer(unit: Researched) -> None:
    """R.11, R.14: resuming spends nothing, starts nobody and writes nothing while the question is open."""
    unit.park()
    before = unit.ledger.read(UNIT)
    for _ in range(3):
        unit.world.clock.wait(3600)
        assert unit.resume().phase == "parked"

    assert unit.ledger.read(UNIT) == before
    assert unit.researchers() == 1


def test_the_answer_codes_once_and_is_fenced_and_attributed(unit: Researched) -> None:
    """R.13, R.18, R.A3b, R.A3d: coding hears question and answer as data with the answerer's name; no new research."""
    unit.park()
    unit.answer()
    state = unit.resume()
    prompt = unit.prompts()[0]

    assert state.phase == "done"
    assert unit.world.attempts() == ["one", "two", "three"]
    assert unit.researchers() == 1
    assert '<<<UNTRUSTED answer 0123456789abcdef0123456789abcdef source="a person">>>\nYes, until 3.0.\n' in prompt
    assert "A person's answer (recheck it, it proves nothing)" in prompt
    assert "Do all three." in prompt


def test_what_was_left_of_the_lease_is_left_again(unit: Researched) -> None:
    """R.17, R.A3c: an answer after the original deadline still codes with what was left; cap and spend stay."""
    unit.park()
    asked = unit.state.waiting
    assert isinstance(asked, Parked)
    original, spent = unit.state.terms, unit.state.spent
    unit.world.clock.wait(2 * 86400.0)
    state = unit.answer()

    assert state.terms.deadline == pytest.approx(unit.world.clock.now() + (original.deadline or 0.0) - asked.asked_at)
    assert replace(state.terms, deadline=original.deadline) == original
    assert state.spent == spent
    assert unit.resume().phase == "done"


def test_the_question_records_what_is_left(unit: Researched, plan: Plan) -> None:
    """R.17: seconds, dollars, tokens, turns and attempts that are left stand in the question's event."""
    budget = Budget(deadline=1000.0, cost_usd=5.0, tokens=1000, turns=9, attempts=2)
    unit.admission = replace(unit.admission, plan=replace(researched(plan, answer_timeout=60.0), budget=budget))
    unit.park()
    facts = unit.events("question.asked")[0].facts

    assert (facts["left"], facts["cost_left"], facts["tokens_left"]) == (1000.0, pytest.approx(4.8), 990)
    assert (facts["turns"], facts["attempts"], facts["timeout"]) == (9, 2, 60.0)


def test_the_first_authorised_answer_wins(unit: Researched) -> None:
    """R.13, R.17: an operator answers first; what the requester says later changes nothing and says so."""
    unit.park()
    unit.answer("No.", by="operator")
    with pytest.raises(NeedsPerson, match="answered by operator"):
        unit.answer("Yes.")
    unit.resume()

    assert len(unit.events("question.answered")) == 1
    assert 'source="operator">>>\nNo.' in unit.prompts()[0]


def test_the_same_answer_again_is_harmless(unit: Researched) -> None:
    """R.17, R.A3c: replayed before and after the unit went on, the answer is stored once and renews nothing."""
    unit.park()
    first = unit.answer()
    unit.world.clock.wait(100)
    assert unit.answer() == first
    done = unit.resume()

    assert unit.answer() == done
    assert len(unit.events("question.answered")) == 1


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ({"by": "mallory"}, NeedsPerson),
        ({"text": " \n "}, UsageError),
        ({"question": "q-1"}, NeedsPerson),
    ],
    ids=["foreign", "empty", "another question"],
)
def test_what_is_no_answer_changes_nothing(unit: Researched, words: dict[str, str], error: type[UnlostError]) -> None:
    """R.17, R.19, R.A3c: foreign, empty and misdirected answers leave unit and eligibility as they are."""
    unit.park()
    before = unit.ledger.read(UNIT)
    with pytest.raises(error):
        unit.answer(**words)

    assert unit.ledger.read(UNIT) == before
    assert unit.resume().phase == "parked"
    assert unit.world.orders == []


def test_an_answer_from_before_the_question_is_ignored(unit: Researched) -> None:
    """R.17: older input does not answer what was asked after it."""
    unit.park()
    unit.world.clock.wait(-10)
    with pytest.raises(NeedsPerson):
        unit.answer()

    assert unit.state.phase == "parked"


def test_nothing_asked_is_told(unit: Researched) -> None:
    """An answer to a unit that has asked nothing is refused."""
    unit.world.research.brief = {**BLOCKED, "readiness": "nonsense"}
    unit.run()
    with pytest.raises(UsageError, match="asked nothing"):
        unit.answer()


def test_an_answer_to_coding_does_not_free_a_blocked_brief(unit: Researched, plan: Plan) -> None:
    """R.19, R.A6b: a blocked brief needs the answer to its own question; one to another question is foreign."""
    unit.admission = replace(unit.admission, plan=plan)
    unit.world.deeds["one"] = asks
    unit.run()
    unit.answer("8080")
    state = unit.state
    assert state.answered[-1].research is False
    unit.resume()

    assert "8080" in unit.prompts()[1]
    assert "8080" not in unit.prompts()[2]


def test_a_question_during_coding_parks_likewise(unit: Researched) -> None:
    """R.13, R.17: `ask_human` during coding: parked, nothing held, answered, told once to that task, lease kept."""
    unit.world.research.brief = BLOCKED
    unit.world.deeds["one"] = asks
    unit.run()
    unit.answer()
    parked = unit.resume()
    assert parked.phase == "parked"
    left = parked.waiting.left if isinstance(parked.waiting, Parked) else None
    unit.world.clock.wait(86400.0)
    state = unit.answer("8080")

    assert state.terms.deadline == pytest.approx(unit.world.clock.now() + (left or 0.0))
    assert unit.resume().phase == "done"
    assert "8080" in unit.prompts()[1]
    assert ANSWER in unit.prompts()[1]
    assert unit.world.attempts() == ["one", "one", "two", "three"]
    assert unit.researchers() == 1


def test_silence_expires_the_question(unit: Researched) -> None:
    """R.14: after `answer_timeout` the unit is expired with brief, work and spend kept; a later answer is refused."""
    parked = unit.park()
    unit.world.clock.wait(WEEK - 1)
    assert as_of(unit.state, unit.world.clock.now()).phase == "parked"
    unit.world.clock.wait(2)
    assert as_of(unit.state, unit.world.clock.now()).reason == "question_expired"
    with pytest.raises(NeedsPerson, match="too late"):
        unit.answer()
    state = unit.resume()

    assert (state.phase, state.reason, state.spent) == ("expired", "question_expired", parked.spent)
    assert state.research is not None
    assert state.research.standing.exportable is not None
    assert unit.world.orders == []
    with pytest.raises(NeedsPerson, match="too late"):
        unit.answer()


def test_an_expired_question_can_only_be_amended(unit: Researched) -> None:
    """R.14: expiry is never an answer: the end stays, whatever is resumed."""
    unit.park()
    unit.world.clock.wait(WEEK)
    unit.resume()

    assert unit.resume().phase == "expired"
    assert unit_document(unit.state)["next"] == "unlost amend u-1 --plan FILE --run"


def test_never_is_a_timeout_too(unit: Researched, plan: Plan) -> None:
    """R.14: `answer_timeout = "never"` waits as long as it takes."""
    unit.admission = replace(unit.admission, plan=researched(plan, answer_timeout=None))
    unit.park()
    unit.world.clock.wait(100 * WEEK)
    unit.answer()

    assert unit.resume().phase == "done"


def test_a_stop_ends_a_parked_unit(unit: Researched) -> None:
    """R.14: `stop` is the other exit besides an answer; its end is `stopped`, and an answer comes too late."""
    unit.park()
    stream = UnitStream(unit.ledger, UNIT)
    stream.record(EVENTS.new(StopAsked(by="a person"), key="stop"))
    state = unit.resume()

    assert (state.phase, state.reason) == ("stopped", "stopped")
    with pytest.raises(UsageError):
        unit.answer()


def test_two_answers_at_once_leave_one(unit: Researched) -> None:
    """R.13: two processes that answer at the same moment: one is stored, the other is told."""
    unit.park()
    real = unit.ledger.append

    def raced(stream: str, events: object, *, expect: int | None = None) -> object:
        unit.ledger.append = real  # type: ignore[method-assign]  # the race happens once
        unit.answer("I was faster.", by="operator")
        return real(stream, events, expect=expect)  # type: ignore[arg-type]  # passed on as it came

    unit.ledger.append = raced  # type: ignore[method-assign, assignment]  # a person between our read and our write
    with pytest.raises(NeedsPerson, match="answered by operator"):
        unit.answer("I was slower.")

    assert len(unit.events("question.answered")) == 1
