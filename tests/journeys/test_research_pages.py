"""The pages on research and budget, held to the program: their worked examples are typed in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import pytest
from kit.pages import Page, typed
from kit.repository import Repository

from unlost.plan.facts import ResearchRules
from unlost.research.consumption import RefusalReason
from unlost.unit.reserve import CODING_MINIMUM, RESEARCH_MINIMUM

RESEARCH = Page.read("concepts/research.md")
BUDGET = Page.read("concepts/budget.md")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "plans"), [(RESEARCH, ("plan.toml",)), (BUDGET, ("plan.toml", "scarce.toml"))], ids=["research", "budget"]
)
def test_worked_example(tmp_path: Path, page: Page, plans: tuple[str, ...]) -> None:
    """R.11, R.17, R.24, R.A3b: what the page shows, typed into a shell, is what unlost prints."""
    repository = Repository.create(tmp_path / "repository")
    for plan in plans:
        (tmp_path / plan).write_text(page.block(f"toml {plan}"))
    Path(os.environ["HOME"], "agent.sh").write_text(page.block("sh agent.sh"))

    for command, printed in page.transcript():
        assert (command, typed(command, repository.root)) == (command, printed)


def test_every_refusal_is_told() -> None:
    """R.35: the page tells every reason why coding may not start on research."""
    assert all(f"`{reason}`" in RESEARCH.text for reason in get_args(RefusalReason))


def test_the_defaults_and_reserves_are_those_of_the_program() -> None:
    """R.24: the numbers on the pages are the numbers in the code."""
    rules = ResearchRules()

    assert f"turns = {rules.turns} " in RESEARCH.text
    assert f"share = {rules.share} " in RESEARCH.text
    assert 'answer_timeout = "7d"' in RESEARCH.text
    assert (CODING_MINIMUM, RESEARCH_MINIMUM) == (60.0, 10.0)
    assert "sixty seconds are kept" in BUDGET.text
    assert "less than ten seconds" in BUDGET.text
