"""Names of linked work trees: what may be part of a branch and of a folder's name."""

from __future__ import annotations

import pytest

from unlost.facts.errors import UsageError
from unlost.workspace.worktree_names import branch_of, check_name, folder_of, name_for


@pytest.mark.parametrize("name", ["a", "A1", "fix-1.2_x", "x" * 64])
def test_names_that_are_good(name: str) -> None:
    """Letters, digits, dots, dashes and underscores."""
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name", ["", "-x", ".x", "a..b", "a/b", "a.lock", "a.", "x" * 65, "a b", "é", "a\n", "plan.toml "]
)
def test_names_that_are_none(name: str) -> None:
    """What git refuses in a branch, what leaves the folder, and what is an option."""
    with pytest.raises(UsageError):
        check_name(name)


def test_a_title_makes_a_free_name() -> None:
    """Lower case, dashes for the rest, a number behind one that is taken, always a good name."""
    taken = {"drop-the-legacy-parser", "drop-the-legacy-parser-2"}

    assert name_for("Drop the *legacy* parser!", lambda name: name in taken) == "drop-the-legacy-parser-3"
    assert name_for("…", lambda _: False) == "work"
    assert check_name(name_for("x" * 200, lambda _: False))


def test_folder_and_branch_follow_the_name() -> None:
    """Beside the repository, named after both; a branch below `unlost/`."""
    assert folder_of("/home/me/project", "fix") == "/home/me/project.fix"
    assert branch_of("fix") == "unlost/fix"
