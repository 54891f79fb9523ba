"""The page on origin, held to the program: its worked example is typed in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import pytest
from kit.pages import Page, typed
from kit.repository import Repository

from unlost.plan.facts import ReviewRules
from unlost.publish.findings import MAXIMUM_BYTES, MAXIMUM_FINDINGS, FindingSeverity
from unlost.unit.maintenance_events import MaintenanceResult

PAGE = Page.read("concepts/origin.md")


@pytest.mark.slow
def test_worked_example(tmp_path: Path) -> None:
    """R.58, R.59, R.A13d: what the page shows, typed into a shell, is what unlost prints."""
    repository = Repository.create(tmp_path / "repository")
    (tmp_path / "plan.toml").write_text(PAGE.block("toml plan.toml"))
    Path(os.environ["HOME"], "agent.sh").write_text(PAGE.block("sh agent.sh"))

    for command, printed in PAGE.transcript():
        assert (command, typed(command, repository.root)) == (command, printed)


def test_every_word_is_told() -> None:
    """R.63: the page tells every result of maintenance, every severity, and the bounds as they are in the code."""
    assert all(f"`{result}`" in PAGE.text for result in get_args(MaintenanceResult))
    assert all(f"`{severity}`" in PAGE.text for severity in get_args(FindingSeverity))
    assert (MAXIMUM_FINDINGS, MAXIMUM_BYTES, ReviewRules().rounds) == (50, 64 * 1024, 2)
    assert "At most 50 findings" in PAGE.text
    assert "64 KiB" in PAGE.text
    assert "rounds = 2 " in PAGE.text
