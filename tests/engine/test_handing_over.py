"""Between two attempts of a task: the handoff is taken, verified, its work brought back, and the next one told."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from engine.fake_world import Files, Killed, World
from engine.test_killed import kill_at

from unlost.attempt.facts import Report, Returned
from unlost.engine import step
from unlost.engine.advance import advance
from unlost.engine.local import Admission, Resumption, admit, resume
from unlost.engine.stream import UnitStream
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import Plan, RestoreChoice, ResumeRules
from unlost.unit import handoff_events
from unlost.unit.attempt_events import AttemptIntended
from unlost.unit.facts import UnitState

BASE = "fn solve(a, b) {\n    a + b\n}\n"
FIXED = "fn solve(a, b) {\n    a * b\n}\n"
GONE: dict[str, Any] = {"error": "the agent died", "exit_code": 1}


def _solves_at_last(files: Files, number: int) -> Report | None:
    """The first attempt multiplies and makes a file, every later one adds its number to the file."""
    if number == 1:
        files[b"solve.rs"] = FIXED
    files[b"new.rs"] = f"{files.get(b'new.rs', '')}attempt {number}\n"
    return None


def _wipe(world: World) -> None:
    """What `git checkout` and a clean do to the work."""
    world.files[b"solve.rs"] = BASE
    world.files.pop(b"new.rs", None)


@pytest.fixture
def world() -> World:
    """Task one dies once; the wipe comes with the supervisor's death behind it."""
    return World(files={b"solve.rs": BASE}, deeds={"one": _solves_at_last}, ends={("one", 1): GONE})


@pytest.fixture
def plan(plan: Plan) -> Plan:
    """Only the first of the three tasks."""
    return replace(plan, tasks=plan.tasks[:1])


def _until_wiped(
    world: World, ledger: Ledger, admission: Admission, monkeypatch: pytest.MonkeyPatch, choice: RestoreChoice
) -> None:
    """Run until the first attempt is closed, where the supervisor dies; then the work is wiped."""
    plan = replace(admission.plan, resume=ResumeRules(restore=choice))
    with monkeypatch.context() as armed:
        armed.setattr(step, "crash_point", kill_at("attempt.closed", 1))
        hands = world.hands(ledger)
        with pytest.raises(Killed):
            advance(admit(hands, replace(admission, plan=plan)), hands)
    _wipe(world)


def _resumed(world: World, ledger: Ledger, *, restore: bool = False) -> UnitState:
    order = Resumption(by="a person", epoch=2, restore=restore)
    return resume(UnitStream(ledger, "u-1"), world.hands(ledger), order)


def _told(world: World, kind: type) -> list[Any]:
    return [payload for payload in world.told if isinstance(payload, kind)]


def test_standing_work_is_told_as_present(world: World, ledger: Ledger, admission: Admission) -> None:
    """H.3: nothing was wiped: a derived handoff says PRESENT, with one definition of done, and nobody is asked."""
    hands = world.hands(ledger)
    state = advance(admit(hands, admission), hands)
    prompt = world.orders[1].prompt.decode()

    assert state.phase == "done"
    assert "[PRESENT — verify only, do not rewrite] solve.rs" in prompt
    assert "after:\n<<<UNTRUSTED after" in prompt
    assert "    a * b\n" in prompt
    assert prompt.count("Definition of done") == 1
    assert [intended.handoff for intended in _told(world, AttemptIntended)] == [None, "derived"]


def test_wiped_work_waits_for_a_person(
    world: World, ledger: Ledger, admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H.27: under `ask` no second agent is paid for; `resume --restore` has the work back byte for byte first."""
    _until_wiped(world, ledger, admission, monkeypatch, "ask")
    blocked = _resumed(world, ledger)
    paid = world.attempts()
    done = _resumed(world, ledger, restore=True)
    (restored,) = _told(world, handoff_events.HandoffRestored)

    assert (blocked.phase, blocked.reason, paid) == ("blocked", "recoverable", ["one"])
    assert (done.phase, world.attempts()) == ("done", ["one", "one"])
    assert world.files == {b"solve.rs": FIXED, b"new.rs": "attempt 1\nattempt 2\n"}
    assert (set(restored.restored), restored.left, restored.kept) == ({b"solve.rs", b"new.rs"}, (), "s-kept")
    assert "[PRESENT — verify only, do not rewrite] new.rs" in world.orders[1].prompt.decode()


def test_a_plain_resume_goes_on_without(
    world: World, ledger: Ledger, admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The unit waits once; after a plain resume the next attempt is told where the work is kept."""
    _until_wiped(world, ledger, admission, monkeypatch, "ask")
    _resumed(world, ledger)
    done = _resumed(world, ledger)

    assert done.phase == "done"
    assert world.handoffs.brought_back == 0
    assert "[RECOVERABLE (snapshot" in world.orders[1].prompt.decode()


@pytest.mark.parametrize(("choice", "back"), [("always", 1), ("never", 0)])
def test_the_plan_decides_beforehand(
    world: World, ledger: Ledger, admission: Admission, monkeypatch: pytest.MonkeyPatch, choice: Any, back: int
) -> None:
    """`always` restores first, `never` only tells; neither waits."""
    _until_wiped(world, ledger, admission, monkeypatch, choice)
    state = _resumed(world, ledger)
    prompt = world.orders[1].prompt.decode()

    assert (state.phase, world.handoffs.brought_back) == ("done", back)
    assert ("[PRESENT" in prompt, "[RECOVERABLE" in prompt) == (bool(back), not back)


def test_what_stays_away_is_told_and_waits(
    world: World, ledger: Ledger, admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A partial restore is recorded as what it is, and gates again before anybody is paid."""
    _until_wiped(world, ledger, admission, monkeypatch, "always")
    world.handoffs.holds_back = {b"new.rs"}
    state = _resumed(world, ledger)
    (restored,) = _told(world, handoff_events.HandoffRestored)

    assert (state.phase, state.reason, world.attempts()) == ("blocked", "recoverable", ["one"])
    assert (restored.restored, restored.left) == ((b"solve.rs",), (b"new.rs",))


def test_the_agents_own_handoff_comes_first(world: World, ledger: Ledger, admission: Admission) -> None:
    """H.3: the file in the outbox is what the next attempt gets, stored exactly; failed checks are told beside it."""
    own = {"task": "solve", "remaining_steps": ["mind the sign"], "source": "handoff"}
    world.ends[("one", 1)] = {"reason": "turns", "returned": Returned(handoff=json.dumps(own).encode())}
    hands = world.hands(ledger)
    advance(admit(hands, admission), hands)
    (taken,) = [event for event in ledger.read("u-1") if event.kind == "handoff.taken"]

    assert taken.facts["source"] == "asked"
    assert "mind" not in str(taken.facts)
    assert json.loads(ledger.body("u-1", taken.sequence) or b"")["remaining_steps"] == ["mind the sign"]
    assert "1. mind the sign" in world.orders[1].prompt.decode()
    assert world.handoffs.ended[0].iteration_cap == admission.plan.budget.turns


def test_a_refused_handoff_is_derived_instead(world: World, ledger: Ledger, admission: Admission) -> None:
    """H.7: a transcript in the outbox is refused with the number of its faults, and what was changed speaks."""
    world.ends[("one", 1)] = {**GONE, "returned": Returned(handoff=b'{"messages": [], "source": "transcript"}')}
    hands = world.hands(ledger)
    advance(admit(hands, admission), hands)
    (taken,) = _told(world, handoff_events.HandoffTaken)

    assert taken.source == "derived"
    assert taken.refused > 0
    assert "transcript" not in world.orders[1].prompt.decode()


def test_failed_checks_are_derived(world: World, ledger: Ledger, admission: Admission) -> None:
    """A derived handoff names failed checks with what was expected and observed, once, and what remains."""
    world.ends.clear()
    world.verdicts["one/1"] = lambda files: "attempt 2" in files[b"new.rs"]
    hands = world.hands(ledger)
    stream = admit(hands, admission)
    advance(stream, hands)
    (ended,) = world.handoffs.ended
    prompt = world.orders[1].prompt.decode()

    assert [(test.test, test.expected) for test in ended.failing_tests] == [("one/1", "exit code 0")]
    assert "observed: exit code 1" in prompt
    assert prompt.count("[REDACTED:test]") == 1
    assert ended.remaining_steps == ("finish the task one",)


@pytest.mark.parametrize("choice", ["ask", "always"])
@pytest.mark.parametrize(
    "point", ["handoff.verified", "handoff.restore_intended", "handoff.returned", "handoff.restored"]
)
def test_a_kill_changes_nothing_of_the_end(
    world: World, ledger: Ledger, admission: Admission, monkeypatch: pytest.MonkeyPatch, point: str, choice: Any
) -> None:
    """Decision 12: killed around a restore and resumed, the work is back, recorded as such, and one agent is paid."""
    _until_wiped(world, ledger, admission, monkeypatch, choice)
    monkeypatch.setattr(step, "crash_point", kill_at(point, 1))
    state, deaths = None, 0
    while state is None or state.phase == "blocked":
        try:
            state = _resumed(world, ledger, restore=state is not None)
        except Killed:
            deaths += 1
    record = state.tasks[0].attempts[0].handoff

    assert (state.phase, deaths, world.attempts()) == ("done", 1, ["one", "one"])
    assert world.files[b"solve.rs"] == FIXED
    assert record is not None
    assert set(record.restored) == {b"solve.rs", b"new.rs"}
