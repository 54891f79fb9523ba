"""A provider's limit: waited for on the plan's word, durably; else a pause that names how to go on."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from engine.fake_world import Killed, World

from unlost.agents.protocol import RateLimit
from unlost.agents.reset_times import MINUTE, ResetTime
from unlost.engine.advance import advance
from unlost.engine.limits import moment_of
from unlost.engine.local import Admission, Resumption, admit, resume
from unlost.engine.stream import UnitStream
from unlost.ledger.protocol import Ledger
from unlost.plan.facts import Budget, Limits
from unlost.unit.facts import UnitState
from unlost.unit.report import exit_code, next_command, unit_document

BACK = Resumption(by="a person", epoch=2)
HOUR = 3600.0


def limited(*, resets_in: float | None = None, resets_at: float | None = None) -> dict[str, Any]:
    """The end of an agent that its provider sent away."""
    return {"error": "429", "limit": RateLimit(resets_in=resets_in, resets_at=resets_at)}


def carried_out(world: World, ledger: Ledger, admission: Admission, **limits: Any) -> UnitState:
    """The unit after as much as can be done without a person."""
    plan = replace(admission.plan, limits=Limits(**limits), budget=Budget(deadline=4 * HOUR, attempts=1))
    hands = world.hands(ledger)
    return advance(admit(hands, replace(admission, plan=plan)), hands)


def test_a_reset_before_the_deadline_is_waited_for(world: World, ledger: Ledger, admission: Admission) -> None:
    """The unit waits until the reset and goes on; the attempt that was sent away counts against nothing."""
    world.ends["two", 1] = limited(resets_in=HOUR)
    began = world.clock.now()
    state = carried_out(world, ledger, admission)

    assert (state.phase, state.reason, state.limit) == ("done", "", None)
    assert world.attempts() == ["one", "two", "two", "three"]
    assert world.clock.now() >= began + HOUR
    assert "limit" not in unit_document(state)


@pytest.mark.parametrize(
    ("told", "limits"),
    [
        (limited(resets_in=5 * HOUR), {}),  # behind the deadline
        (limited(resets_in=2 * HOUR), {"max_wait": HOUR}),
        (limited(resets_in=HOUR), {"auto_resume": False}),
        (limited(), {}),  # nobody knows when
        (limited(resets_at=1.0), {}),  # a moment that has passed
        (limited(resets_at=1e300), {"max_wait": 1e301}),  # one that nobody will see
        (limited(resets_in=float("inf")), {"max_wait": 1e301}),
        (limited(resets_at=float("nan")), {}),
    ],
)
def test_else_the_unit_pauses_at_once(
    world: World, ledger: Ledger, admission: Admission, told: dict[str, Any], limits: dict[str, Any]
) -> None:
    """A limit that may not be waited for pauses with exit 5 at once, and names `resume --extend`."""
    world.ends["two", 1] = told
    began = world.clock.now()
    state = carried_out(world, ledger, admission, **limits)

    assert (state.phase, state.reason, exit_code(state)) == ("paused", "rate_limit", 5)
    assert next_command(state) == "unlost resume u-1 --extend 2h"
    assert world.clock.now() == began
    assert [task.state for task in state.tasks] == ["done", "running", "waiting"]


def test_resume_is_worth_one_try(world: World, ledger: Ledger, admission: Admission) -> None:
    """After a pause a person's `resume` starts the agent again; sent away again, the unit pauses again."""
    world.ends["two", 1] = world.ends["two", 2] = limited()
    carried_out(world, ledger, admission)
    hands = world.hands(ledger)
    again = resume(UnitStream(ledger, "u-1"), hands, BACK)
    state = resume(UnitStream(ledger, "u-1"), hands, replace(BACK, epoch=3))

    assert (again.phase, again.reason) == ("paused", "rate_limit")
    assert state.phase == "done"
    assert world.attempts() == ["one", "two", "two", "two", "three"]


def test_extend_makes_room_for_the_wait(world: World, ledger: Ledger, admission: Admission) -> None:
    """`resume --extend` moves the deadline behind the reset: then it is waited for."""
    world.ends["two", 1] = limited(resets_in=5 * HOUR)
    carried_out(world, ledger, admission)
    began = world.clock.now()
    state = resume(UnitStream(ledger, "u-1"), world.hands(ledger), replace(BACK, extend=2 * HOUR))

    assert state.phase == "done"
    assert world.clock.now() >= began + 5 * HOUR


def test_the_wait_survives_its_supervisor(
    world: World, ledger: Ledger, admission: Admission, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed while it waits, the unit is paused by the rate limit for all to see; the next supervisor waits on."""
    world.ends["two", 1] = limited(resets_in=HOUR)
    began = world.clock.now()

    def killed(_seconds: float) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(world.clock, "wait", killed)
        with pytest.raises(Killed):
            carried_out(world, ledger, admission)
    waiting = UnitStream(ledger, "u-1").state
    world.clock.wait(HOUR / 2)
    state = resume(UnitStream(ledger, "u-1"), world.hands(ledger), BACK)

    assert (waiting.phase, waiting.reason, exit_code(waiting)) == ("paused", "rate_limit", 5)
    assert unit_document(waiting)["limit"]["resets_at"] is not None
    assert state.phase == "done"
    assert began + HOUR <= world.clock.now() <= began + HOUR + 2
    assert world.attempts() == ["one", "two", "two", "three"]


@pytest.mark.parametrize(("hour", "days"), [(23, 0), (1, 1)])
def test_a_time_of_day_is_the_next_one(hour: int, days: int) -> None:
    """An agent that tells a local time without a day means the next time that the clock shows it."""
    now = time.mktime((2026, 6, 10, 12, 30, 15, 0, 0, -1))
    expected = time.mktime((2026, 6, 10 + days, hour, 15, 0, 0, 0, -1)) + MINUTE

    assert moment_of(RateLimit(resets_clock=ResetTime(hour=hour, minute=15)), now) == expected
