"""Who may bring files back through `unlost mcp`: agents that work in the tree itself."""

from __future__ import annotations

import pytest

from unlost.cli.commands.mcp import works_here


@pytest.mark.parametrize(
    ("step", "task", "may"),
    [
        (None, None, True),
        ("code", "swap", True),
        ("repair", "repair/1", True),
        ("research", "research", False),
        ("review", "review", False),
        ("repair", "maintenance", False),
    ],
)
def test_only_an_agent_in_the_tree_brings_files_back(step: str | None, task: str | None, may: bool) -> None:  # noqa: FBT001
    """R.23, R.59: researchers, reviewers and a repair on a moved target work apart and restore nothing."""
    assert works_here(step, task) is may
