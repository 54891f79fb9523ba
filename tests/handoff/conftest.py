"""Real repositories for handoffs: the incident's own, and a way to verify in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from handoff.handoffs import SOLVER_OLD
from handoff.looking import Look
from kit.repository import Repository

from unlost.handoff.facts import Handoff
from unlost.handoff.places import Store
from unlost.handoff.report import LossReport

Verify = Callable[..., LossReport]


@pytest.fixture
def solver(tmp_path: Path) -> Repository:
    """A repository with `solver.cpp` committed twice, so that HEAD~1 exists."""
    made = Repository.create(tmp_path / "solver")
    made.write("README.md", "# Solver\n")
    made.commit("begin")
    made.write("solver.cpp", SOLVER_OLD)
    made.commit("add the solver")
    return made


@pytest.fixture
def verify_in(tmp_path: Path) -> Verify:
    """Verify a handoff in a repository, with the real forensics and any other stores before them."""

    def verify(repository: Repository, handoff: Handoff, stores: Sequence[Store] = ()) -> LossReport:
        with Look(repository, tmp_path / "scratch", base_commit=handoff.base_commit) as look:
            return look.verify(handoff, stores)

    return verify
