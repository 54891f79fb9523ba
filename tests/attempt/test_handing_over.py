"""An agent that reached its cap of turns is asked for its handoff in its own conversation."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from kit.ground import Audience, Ground, fast

from unlost.agents.command import Command
from unlost.agents.protocol import Errand, Launch, Usage
from unlost.attempt.facts import AttemptEnd, AttemptRequest, Caps
from unlost.attempt.handing_over import TURNS, asking, asking_identity, can_ask, joined, was_asked
from unlost.attempt.run import run
from unlost.host.clock import SystemClock

USED_UP = """
trap 'exit 0' INT
echo '{"type": "started", "session": "s-1"}'; echo '{"type": "usage", "tokens": 10, "cost_usd": 0.5}'
for call in 1 2 3; do echo '{"type": "tool", "name": "edit"}'; done
while :; do sleep 0.02; done
"""
ASKED = """
cd "$UNLOST_OUTBOX"; cat >prompt; printf %s "$0" >session; printf '{"task": "t"}' >handoff.json
echo '{"type": "tool", "name": "submit_handoff"}'; echo '{"type": "usage", "tokens": 2, "cost_usd": 0.25}'
"""


class Conversing(Command):
    """A program that is told which conversation it carries on."""

    carries_on: bool = True

    def __init__(self, line: str) -> None:
        super().__init__(("/bin/sh", "-c", line))

    def launch(self, errand: Errand) -> Launch:
        launch = super().launch(errand)
        return replace(launch, argv=(*launch.argv, errand.session or "none"))


def used_up(ground: Ground, **caps: float) -> tuple[AttemptRequest, AttemptEnd]:
    """An attempt that reached its cap of two calls."""
    request = ground.request(ground.first, Conversing(USED_UP), caps=fast(turns=2, **{"grace": 120.0, **caps}))
    return request, run(request, Audience(), SystemClock())


def test_the_handoff_comes_from_the_same_conversation(ground: Ground) -> None:
    """H.3: interrupted at its cap, the agent hands over in its own conversation, into the attempt's outbox."""
    request, end = used_up(ground)
    assert (end.reason, end.returned.handoff, can_ask(request, end)) == ("turns", None, True)

    again = asking(request, end, Conversing(ASKED), b"hand over")
    whole = joined(ground.workspace, end, run(again, Audience(), SystemClock()))

    assert whole.returned.handoff is not None
    assert json.loads(whole.returned.handoff) == {"task": "t"}
    outbox = {name: _left(request, name) for name in ("prompt", "session")}
    assert outbox == {"prompt": "hand over", "session": "s-1"}
    assert (whole.attempt, whole.reason, whole.turns) == (ground.first, "turns", 4)
    assert whole.usage == Usage(tokens=12, cost_usd=0.75)
    ground.assert_over(ground.first, asking_identity(ground.first))


def test_an_agent_that_goes_on_instead_is_ended(ground: Ground) -> None:
    """Asked for its handoff, an agent that works on is ended at its next call over the two that it is given."""
    request, end = used_up(ground)
    again = asking(request, end, Conversing(USED_UP), b"hand over")
    asked = run(again, Audience(), SystemClock())

    assert (asked.reason, asked.turns) == ("turns", TURNS + 1)
    assert joined(ground.workspace, end, asked).returned.handoff is None
    ground.assert_over(ground.first, asking_identity(ground.first))


@pytest.mark.parametrize(
    "changed",
    [
        {"reason": "idle"},
        {"reason": "exited"},
        {"session": None},
        {"interrupted": True},
        {"usage": Usage(tokens=100)},
        {"usage": Usage(cost_usd=2.0)},
    ],
)
def test_nobody_is_asked_in_vain(ground: Ground, changed: dict[str, object]) -> None:
    """No further run without a conversation, after another end than the cap of turns, or with nothing left to spend."""
    caps = Caps(turns=2, tokens=100, cost_usd=2.0)
    request = ground.request(ground.first, Conversing(""), caps=caps)
    end = AttemptEnd(attempt=ground.first, reason="turns", error="cap", session="s-1")

    assert can_ask(request, end)
    assert not can_ask(request, replace(end, **changed))  # type: ignore[arg-type]  # each of its declared type
    assert not can_ask(replace(request, caps=replace(caps, grace=0.0)), end)
    assert not was_asked(ground.workspace, ground.first)


def test_what_is_left_of_the_caps_is_the_cap(ground: Ground) -> None:
    """The handoff is paid from the same attempt: what it has used of its money and tokens is gone; none stays none."""
    request = ground.request(ground.first, Conversing(""), caps=Caps(tokens=100, cost_usd=2.0, grace=7.0))
    usage = Usage(tokens=30, cost_usd=0.5)
    end = AttemptEnd(attempt=ground.first, reason="turns", error="cap", session="s-1", usage=usage)
    again = asking(request, end, Conversing(""), b"").caps
    free = asking(replace(request, caps=Caps()), end, Conversing(""), b"").caps

    assert (again.tokens, again.cost_usd, again.turns) == (70, 1.5, TURNS)
    assert (again.idle, again.wall_clock) == (7.0, 7.0)
    assert (free.tokens, free.cost_usd) == (0, 0)


def _left(request: AttemptRequest, name: str) -> str:
    with open(f"{request.errand.outbox}/{name}", encoding="utf-8") as file:
        return file.read()
