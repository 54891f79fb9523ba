"""The page on commits and publishing, held to the program: its worked example is typed in."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import pytest
from kit.pages import Page, typed
from kit.repository import Repository

from unlost.publish.hooks import HOOK_TIMEOUT
from unlost.publish.outcomes import CommitRefusal, LeftOutReason, PushFailure
from unlost.publish.words import REFUSALS

PAGE = Page.read("concepts/committing.md")


@pytest.mark.slow
def test_worked_example(tmp_path: Path) -> None:
    """Decision 2: what the page shows, typed into a shell, is what git and unlost print."""
    repository = Repository.create(tmp_path / "repository")
    (tmp_path / "plan.toml").write_text(PAGE.block("toml plan.toml"))
    Path(os.environ["HOME"], "agent.sh").write_text(PAGE.block("sh agent.sh"))

    for command, printed in PAGE.transcript():
        assert (command, typed(command, repository.root)) == (command, printed)


def test_every_refusal_is_told() -> None:
    """The page names every reason for which a commit or a push is not made, and the program has words for each."""
    words = {*get_args(CommitRefusal), *get_args(PushFailure)}

    assert words == set(REFUSALS)
    assert [word for word in (*sorted(words), *get_args(LeftOutReason)) if f"`{word}`" not in PAGE.text] == []
    assert HOOK_TIMEOUT == 300.0
    assert "after five minutes" in PAGE.text
