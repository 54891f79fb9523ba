"""What one agent of a unit may use: the turns of an attempt, and what the lease has left."""

from __future__ import annotations

from unlost.attempt.facts import Caps
from unlost.engine.step import Step
from unlost.unit.lease import cost_left, time_left, tokens_left


def caps_of(step: Step) -> Caps:
    """The caps of the next attempt, review or repair. Zero means no cap to `attempt/`."""
    state, budget = step.stream.state, step.stream.plan.budget
    return Caps(
        turns=state.terms.turns,
        tokens=tokens_left(state.terms, state.spent) or 0,
        cost_usd=cost_left(state.terms, state.spent) or 0.0,
        idle=budget.idle,
        wall_clock=time_left(state.terms, step.hands.clock.now()) or 0.0,
        grace=budget.grace,
    )
