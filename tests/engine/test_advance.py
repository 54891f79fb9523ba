"""How the engine carries a unit on: prompts, records, losses, stops."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from engine.fake_world import Files, World, writes

from unlost.attempt.facts import Report
from unlost.engine.advance import advance
from unlost.engine.local import Admission, Resumption, admit, resume
from unlost.engine.stream import UnitStream
from unlost.facts.errors import UsageError
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import Plan, Scope
from unlost.unit.attempt_events import AttemptIntended, RetainedWork
from unlost.unit.events import EVENTS, StopAsked

BACK = Resumption(by="a person", epoch=2)


def _prompts(ledger: Ledger) -> list[str]:
    events = [event for event in ledger.read("u-1") if event.kind == "attempt.intended"]
    return [(ledger.body("u-1", event.sequence) or b"").decode() for event in events]


def test_a_plan_runs_to_its_end(world: World, ledger: Ledger, admission: Admission) -> None:
    """Each task runs once, its checks and the plan's pass, and the unit is done."""
    hands = world.hands(ledger)
    state = advance(admit(hands, admission), hands)

    assert state.phase == "done"
    assert world.attempts() == ["one", "two", "three"]
    assert world.checked == ["one/1", "two/1", "three/1", "suite"]
    assert state.spent.tokens == 30
    assert state.spent.known_usd == pytest.approx(0.3)


def test_the_exact_prompt_is_stored_before_it_is_sent(world: World, ledger: Ledger, admission: Admission) -> None:
    """Decision 7: the bytes that the agent got are the private body of the intent; sha256 and size are public."""
    hands = world.hands(ledger)
    advance(admit(hands, admission), hands)
    intents = [event for event in ledger.read("u-1") if event.kind == "attempt.intended"]

    for event, order in zip(intents, world.orders, strict=True):
        assert ledger.body("u-1", event.sequence) == order.prompt
        assert (event.body_digest, event.body_size) == (hashlib.sha256(order.prompt).hexdigest(), len(order.prompt))
        assert "prompt" not in event.facts


def test_a_loss_stops_before_the_next_task_is_paid(world: World, ledger: Ledger, admission: Admission) -> None:
    """G.13: task two wipes what task one did; nothing runs after that, and a restore makes task two done."""

    def wipe(files: Files, number: int) -> Report | None:
        files[b"a"] = "a0"
        files[b"b"] = "b1"
        return None

    world.deeds["two"] = wipe
    hands = world.hands(ledger)
    stream = admit(hands, admission)
    blocked = advance(stream, hands)
    world.files[b"a"] = "a1"
    state = resume(UnitStream(ledger, "u-1"), hands, BACK)

    assert (blocked.phase, [lost.path for lost in blocked.proof.lost]) == ("blocked", [b"a"])
    assert state.phase == "done"
    assert world.attempts() == ["one", "two", "three"]


def test_the_next_attempt_is_told_what_failed(world: World, ledger: Ledger, admission: Admission) -> None:
    """A further attempt hears which check failed, fenced and redacted, and what its predecessor changed."""
    world.deeds["one"] = lambda files, number: files.update({b"a": f"a{number}"})
    world.verdicts["one/1"] = lambda files: files[b"a"] == "a2"
    hands = world.hands(ledger)
    advance(admit(hands, admission), hands)
    first, second = _prompts(ledger)[:2]

    assert "Attempt 1 of this task ended (exited); it was not done." in second
    assert '- "a"' in second
    assert "broken: [REDACTED:test]" in second
    assert "s3cret" not in second
    assert "Automatic resume" not in second
    assert "Attempt" not in first


def test_a_note_of_the_operator_comes_along(world: World, ledger: Ledger, admission: Admission) -> None:
    """N.7: the operator's note is part of every prompt of its revision."""
    hands = world.hands(ledger)
    advance(admit(hands, replace(admission, note="Mind the gap.")), hands)

    assert all("Mind the gap." in prompt for prompt in _prompts(ledger))


def test_a_path_outside_the_scope_blocks_with_its_name(world: World, ledger: Ledger, admission: Admission) -> None:
    """N.27: the unit blocks, the path is named, and the work is kept."""
    plan = replace(admission.plan, scope=Scope(paths=("a", "b")))
    hands = world.hands(ledger)
    state = advance(admit(hands, replace(admission, plan=plan)), hands)

    assert (state.phase, state.reason) == ("blocked", "out_of_scope")
    assert state.open_attempt is not None
    assert state.open_attempt.judged is not None
    assert state.open_attempt.judged.outside == (b"c",)
    assert world.files[b"c"] == "c1"


def test_a_persons_stop_reaches_a_unit_between_two_steps(world: World, ledger: Ledger, admission: Admission) -> None:
    """A stop from another process is heard before the next intent: nothing further is paid."""
    hands = world.hands(ledger)

    def stopped_meanwhile(files: Files, number: int) -> Report | None:
        ledger.append("u-1", [EVENTS.new(StopAsked(by="a person"), key="stop")])
        return writes(b"a", "a1")(files, number)

    world.deeds["one"] = stopped_meanwhile
    state = advance(admit(hands, admission), hands)

    assert state.phase == "stopped"
    assert world.attempts() == ["one"]
    assert state.boundaries[-1].taken.kind == "attempt_end"


def test_a_reported_block_becomes_a_question(world: World, ledger: Ledger, admission: Admission) -> None:
    """A reported blocked parks the unit; its reason is the question, a private body."""
    world.deeds["one"] = lambda files, number: Report(outcome="blocked", reason="Which API?", paths=())
    hands = world.hands(ledger)
    state = advance(admit(hands, admission), hands)
    asked = next(event for event in ledger.read("u-1") if event.kind == "question.asked")

    assert state.phase == "parked"
    assert ledger.body("u-1", asked.sequence) == b"Which API?"
    assert "Which" not in str(asked.facts)


def test_revision_one_gets_no_retained_work_note(world: World, ledger: Ledger, admission: Admission) -> None:
    """N.2, N.T3: the note never appears for an attempt of revision 1, on whatever tree."""
    world.files[b"left"] = "by somebody"
    hands = world.hands(ledger)
    advance(admit(hands, admission), hands)

    assert not [payload for payload in world.told if isinstance(payload, RetainedWork)]
    assert all("already here" not in prompt for prompt in _prompts(ledger))
    assert all(told.notes == () for told in world.told if isinstance(told, AttemptIntended))


def test_resuming_what_is_over_changes_nothing(world: World, ledger: Ledger, admission: Admission) -> None:
    """A supervisor that died right after the end is resumed to that same end; an unknown unit is refused."""
    hands = world.hands(ledger)
    stream = admit(hands, admission)
    done = advance(stream, hands)

    assert done == resume(UnitStream(ledger, "u-1"), hands, BACK)
    with pytest.raises(UsageError):
        resume(UnitStream(ledger, "u-2"), hands, BACK)


def test_the_plan_that_was_approved_is_the_plan_that_runs(
    world: World, ledger: Ledger, admission: Admission, plan: Plan
) -> None:
    """N.22: the plan comes back from its private body byte for byte the same to its digest."""
    hands = world.hands(ledger)
    admit(hands, admission)

    assert plan == UnitStream(ledger, "u-1").plan


@pytest.mark.parametrize("fresh", [False, True])
def test_attempts_carry_on_a_conversation_unless_told_otherwise(
    world: World, ledger: Ledger, admission: Admission, *, fresh: bool
) -> None:
    """A later attempt is told of the earlier ones, so that it can go on in their conversation; `--fresh`: it is not."""
    world.verdicts["one/1"] = lambda files: len(world.orders) > 1
    world.deeds["one"] = lambda files, number: files.update({b"a": f"a{number}"})
    hands = world.hands(ledger)
    advance(admit(hands, replace(admission, fresh_attempts=fresh)), hands)
    first, second = world.orders[:2]

    assert (first.earlier, second.task, second.number) == ((), "one", 2)
    assert second.earlier == (() if fresh else (first.identity,))
