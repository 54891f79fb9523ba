"""Stashes of a repository with several work trees: only this one's own are brought back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from handoff.conftest import Verify
from handoff.handoffs import SOLVER_NEW, handoff_file
from kit.repository import Repository

from unlost.handoff.binding import Binding
from unlost.handoff.schema import load_handoff

HANDOFF = replace(load_handoff(handoff_file()), new_files=())


@pytest.fixture
def other(solver: Repository) -> Repository:
    """A linked work tree on a branch of its own."""
    place = solver.root.parent / "other"
    solver.git("worktree", "add", "-q", "-b", "feature", str(place))
    return Repository(root=Path(place))


def test_foreign_stash(solver: Repository, other: Repository, verify_in: Verify) -> None:
    """A stash that another work tree made on its branch is not ours: the fix is lost, and the stash is told apart."""
    other.write("solver.cpp", SOLVER_NEW)
    other.git("stash", "push", "-q")

    ours, theirs = verify_in(solver, HANDOFF), verify_in(other, HANDOFF)

    assert ours.lost_files == (b"solver.cpp",)
    assert ours.context.stashes[0].endswith("(of another work tree: left alone)")
    assert theirs.paths("stashed") == (b"solver.cpp",)


def test_own_stash_beside_a_foreign_one(solver: Repository, other: Repository, verify_in: Verify) -> None:
    """Numbers stay those of the shared list: our own entry below a foreign one is stash@{1}."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")
    other.write("solver.cpp", SOLVER_NEW)
    other.git("stash", "push", "-q")

    report = verify_in(solver, HANDOFF)

    assert [each.where.name for each in report.fixes if each.where] == ["stash@{1}"]


def test_stash_of_a_branch_that_is_gone(solver: Repository, other: Repository, verify_in: Verify) -> None:
    """A stash made here on a branch that nobody has checked out now is bound by its base commit."""
    solver.git("switch", "-q", "-c", "attempt")
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")
    solver.git("switch", "-q", "main")

    assert other.exists("solver.cpp")
    assert verify_in(solver, HANDOFF).paths("stashed") == (b"solver.cpp",)


def test_stash_on_a_strange_base(solver: Repository, other: Repository, verify_in: Verify) -> None:
    """A stash of a branch nobody has, on a base outside our history, is not ours, unless the handoff names it."""
    other.git("switch", "-q", "-c", "elsewhere")
    other.write("README.md", "# Elsewhere\n")
    base = other.commit("elsewhere")
    other.write("solver.cpp", SOLVER_NEW)
    other.git("stash", "push", "-q")
    other.git("switch", "-q", "feature")

    assert verify_in(solver, HANDOFF).lost_files == (b"solver.cpp",)
    assert verify_in(solver, replace(HANDOFF, base_commit=base[:12])).paths("stashed") == (b"solver.cpp",)


def test_rules() -> None:
    """Alone everything is ours; otherwise branch and base decide, and a detached stash is nobody's for sure."""
    several = Binding(
        branch="main",
        branches_elsewhere=frozenset({"feature"}),
        detached_elsewhere=True,
        alone=False,
        bases=frozenset({"base"}),
    )

    assert replace(several, alone=True).holds("feature", "strange")
    assert several.holds("main", "strange")
    assert several.holds("gone", "base")
    assert several.holds(None, "base")
    assert not several.holds("feature", "base")
    assert not several.holds("gone", "strange")
    assert not several.holds("(no branch)", "base")
    assert replace(several, detached_elsewhere=False).holds("(no branch)", "base")
