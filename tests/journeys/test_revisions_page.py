"""The page on revisions, held to the program: its worked example is typed in."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.pages import Page, typed
from kit.repository import Repository

from unlost.prompt.notes import MAXIMUM_LISTED, RETAINED_WORK

PAGE = Page.read("concepts/revisions.md")


@pytest.mark.slow
def test_worked_example(tmp_path: Path) -> None:
    """N.8, N.T1: what the page shows, typed into a shell, is what unlost prints."""
    repository = Repository.create(tmp_path / "repository")
    Path(os.environ["HOME"], "plan.toml").write_text(PAGE.block("toml plan.toml"))
    Path(os.environ["HOME"], "agent.sh").write_text(PAGE.block("sh agent.sh"))

    for command, printed in PAGE.transcript():
        assert (command, typed(command, repository.root)) == (command, printed)


def test_the_page_tells_the_bound_and_the_text() -> None:
    """N.17: the number on the page is the one in the code, and the text is the constant."""
    assert MAXIMUM_LISTED == 20
    assert "at most twenty" in PAGE.text
    assert RETAINED_WORK in PAGE.text
