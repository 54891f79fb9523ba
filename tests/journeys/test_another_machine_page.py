"""The guide on another machine, held to the program: its worked example is typed in."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.pages import Page, typed
from kit.repository import Repository

PAGE = Page.read("guides/another-machine.md")


@pytest.mark.slow
def test_worked_example_of_another_machine(tmp_path: Path) -> None:
    """W.19, W.A1: what the guide shows, typed into a shell, is what unlost prints."""
    repository = Repository.create(tmp_path / "laptop")

    for command, printed in PAGE.transcript():
        assert (command, typed(command, repository.root)) == (command, printed)
