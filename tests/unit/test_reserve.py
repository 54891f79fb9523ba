"""What research may take of a lease, and what is kept for coding."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from unit.unit_story import START, Story, plan

from unlost.plan.facts import Plan, ResearchRules, Workflow
from unlost.unit.lease import Spent
from unlost.unit.reserve import CODING_MINIMUM, RESEARCH_MINIMUM, Allowance, research_allowance


def researched(*, share: float = 0.2, turns: int = 40, **budget: Any) -> Plan:
    made = plan("one", "two", **budget)
    return replace(
        made, workflow=Workflow(steps=("research", "code")), research=ResearchRules(share=share, turns=turns)
    )


def allowance(made: Plan, *, now: float = START, **spent: Any) -> Allowance | None:
    state = replace(Story(made).state, spent=Spent(**spent))
    return research_allowance(state, made, now)


def test_research_gets_its_share_of_the_whole_lease() -> None:
    """R.24: of time, dollars and tokens its share at most, and turns of its own."""
    made = researched(deadline=1000.0, cost_usd=10.0, tokens=500)

    assert allowance(made) == Allowance(turns=40, tokens=100, cost_usd=2.0, seconds=200.0)


def test_no_cap_stays_no_cap() -> None:
    """A lease without dollars or tokens capped caps neither for research."""
    assert allowance(researched(deadline=1000.0)) == Allowance(turns=40, tokens=0, cost_usd=0.0, seconds=200.0)


def test_codings_minimum_is_never_given_away() -> None:
    """R.24: of a lease that runs out each waiting task keeps its minimum; research gets what is over, or nothing."""
    made = researched(share=1.0, deadline=1000.0)
    kept = 2 * CODING_MINIMUM
    scarce = allowance(made, now=START + 1000.0 - kept - RESEARCH_MINIMUM)

    assert scarce is not None
    assert scarce.seconds == RESEARCH_MINIMUM
    assert allowance(made, now=START + 1000.0 - kept - RESEARCH_MINIMUM + 1) is None


@pytest.mark.parametrize("spent", [{"usd": 10.0}, {"tokens": 500}])
def test_nothing_left_is_no_research(spent: dict[str, Any]) -> None:
    """R.24: where dollars or tokens are gone, research is refused before it starts."""
    assert allowance(researched(deadline=1000.0, cost_usd=10.0, tokens=500), **spent) is None


def test_what_is_left_of_the_lease_limits_the_share() -> None:
    """R.24: the share is of the lease, but never more than is left."""
    scarce = allowance(researched(deadline=1000.0, cost_usd=10.0), usd=9.5)

    assert scarce is not None
    assert scarce.cost_usd == pytest.approx(0.5)
