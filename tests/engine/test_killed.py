"""The supervisor dies at every point of the engine's list, and the unit is carried on to the same end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from engine.fake_world import Files, Killed, World

from unlost.attempt.facts import Report
from unlost.engine import step
from unlost.engine.advance import advance
from unlost.engine.local import Admission, Resumption, admit, resume
from unlost.engine.points import POINTS
from unlost.engine.stream import UnitStream
from unlost.facts.errors import UnlostBug
from unlost.ledger.protocol import Ledger
from unlost.unit.facts import UnitState

PASSES = (1, 2, 3, 5, 8)
HEALTHY_POINTS = tuple(point for point in POINTS if not point.startswith(("unit.waiting", "task.failed", "revision")))


def kill_at(name: str, times: int) -> Callable[[str], None]:
    """A stand-in for `crash_point` that dies when the point of this name is passed for the last of so many times."""
    left = times

    def crash_point(point: str) -> None:
        nonlocal left
        if point == name:
            left -= 1
            if left == 0:
                raise Killed

    return crash_point


def _until_it_rests(world: World, ledger: Ledger, admission: Admission) -> tuple[UnitState, int]:
    """Admit and advance; resume after every death, as a person would; the state at the end, and the deaths."""
    deaths = 0
    while True:
        hands = world.hands(ledger)
        try:
            if not ledger.read("u-1"):
                return advance(admit(hands, admission), hands), deaths
            return resume(UnitStream(ledger, "u-1"), hands, Resumption(by="a person", epoch=deaths + 1)), deaths
        except Killed:
            deaths += 1


@pytest.mark.parametrize("times", PASSES)
@pytest.mark.parametrize("point", HEALTHY_POINTS)
def test_the_end_is_the_same_wherever_the_supervisor_died(
    world: World, ledger: Ledger, admission: Admission, monkeypatch: pytest.MonkeyPatch, point: str, times: int
) -> None:
    """Killed at any point and resumed, the unit comes to the same end; no finished task is repeated."""
    monkeypatch.setattr(step, "crash_point", kill_at(point, times))
    state, _ = _until_it_rests(world, ledger, admission)

    assert state.phase == "done"
    assert [task.state for task in state.tasks] == ["done", "done", "done"]
    assert world.files == {b"a": "a1", b"b": "b1", b"c": "c1"}
    assert world.attempts() == ["one", "two", "three"]
    assert all(order.prompt for order in world.orders)


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("point", POINTS)
def test_a_loss_is_found_wherever_the_supervisor_died(
    world: World, ledger: Ledger, admission: Admission, monkeypatch: pytest.MonkeyPatch, point: str, times: int
) -> None:
    """Killed at any point, a wiped path blocks the unit all the same, and never passes as done."""

    def wipe(files: Files, number: int) -> Report | None:
        files.update({b"a": "a0", b"c": "c1"})
        return None

    world.deeds["three"] = wipe
    monkeypatch.setattr(step, "crash_point", kill_at(point, times))
    state, _ = _until_it_rests(world, ledger, admission)

    assert (state.phase, state.reason) == ("blocked", "loss")
    assert [lost.path for lost in state.proof.lost] == [b"a"]
    assert world.attempts() == ["one", "two", "three"]


def test_a_supervisor_that_dies_with_its_agent_tries_again(world: World, ledger: Ledger, admission: Admission) -> None:
    """An agent that was ended with its supervisor is followed by one that is told so; the other tasks run once."""
    world.dies_while_running = True
    state, deaths = _until_it_rests(world, ledger, admission)

    assert deaths == 1
    assert state.phase == "done"
    assert world.attempts() == ["one", "one", "two", "three"]
    assert b"## Automatic resume" in world.orders[1].prompt


def test_points_are_a_literal_list() -> None:
    """A crash point that is not on the list is a bug: a test could not reach it."""
    with pytest.raises(UnlostBug):
        step.passed("somewhere")
