"""The guide from a loop to unlost, held to the program: its worked example is typed in, a script plays the agent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.pages import Page, typed
from kit.repository import Repository

PAGE = Page.read("guides/from-a-loop.md")


@pytest.mark.slow
def test_worked_example_of_the_loop(tmp_path: Path) -> None:
    """What the guide shows, typed into a shell, is what unlost prints; the list is as it was."""
    repository = Repository.create(tmp_path / "repository")
    home = Path(os.environ["HOME"])
    (home / "TODO.md").write_text(PAGE.block("markdown TODO.md"))
    (home / "agent.sh").write_text(PAGE.block("sh agent.sh"))
    settings = home / ".config" / "unlost"
    settings.mkdir(parents=True)
    (settings / "config.toml").write_text(PAGE.block("toml config.toml"))

    for command, printed in PAGE.transcript():
        assert (command, typed(command, repository.root)) == (command, printed)

    assert (home / "TODO.md").read_text() == PAGE.block("markdown TODO.md")
