"""The guide on worktrees, held to the program: its worked example is typed in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.pages import Page, typed
from kit.repository import Repository

PAGE = Page.read("guides/worktrees.md")


@pytest.mark.slow
def test_worked_example_of_worktrees(tmp_path: Path) -> None:
    """What the guide shows, typed into a shell, is what unlost prints."""
    repository = Repository.create(tmp_path / "repository")
    Path(os.environ["HOME"], "plan.toml").write_text(PAGE.block("toml plan.toml"))
    Path(os.environ["HOME"], "agent.sh").write_text(PAGE.block("sh agent.sh"))

    for command, printed in PAGE.transcript():
        assert (command, typed(command, repository.root)) == (command, printed)
