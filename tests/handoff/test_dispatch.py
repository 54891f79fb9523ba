"""`unlost handoff dispatch`: the gate, then one real attempt with exactly the prompt, between two boundaries."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from handoff.handoffs import SOLVER_NEW, SOLVER_OLD, handoff_file
from kit.program import Program
from kit.repository import Repository

pytestmark = pytest.mark.slow


@pytest.fixture
def unlost(solver: Repository) -> Program:
    """The program in the incident's repository, with a handoff of one fix outside of it."""
    solver.root.parent.joinpath("fix.json").write_bytes(handoff_file(new_files=[]))
    return Program(folder=solver.root)


def worker(folder: Path, lines: str) -> str:
    """A command agent that keeps its prompt and then runs these shell lines."""
    script = folder / "worker.sh"
    script.write_text(f'#!/bin/sh\nset -eu\ncat >"{folder}/prompt"\n{lines}\n')
    script.chmod(0o755)
    return shlex.quote(str(script))


def test_fresh_worker(unlost: Program, solver: Repository, tmp_path: Path) -> None:
    """H.25: a fresh worker gets exactly the printed prompt, works in this tree, and boundaries stand around it."""
    command = worker(tmp_path, "sed -i.old 's/a + b/a * b/' solver.cpp; rm solver.cpp.old")
    printed = unlost("handoff", "prompt", "../fix.json").out

    answer = unlost("handoff", "dispatch", "../fix.json", "--agent", "command", "--command", command, "--json").json

    told = (tmp_path / "prompt").read_text()
    assert [line for line in told.splitlines() if line.startswith(("[", "#"))] == [
        line for line in printed.splitlines() if line.startswith(("[", "#"))
    ]
    assert told == answer["resume"]["prompt"]
    assert solver.read("solver.cpp") == SOLVER_NEW.encode()
    assert answer["attempt"]["reason"] == "exited"
    assert answer["boundaries"] == [0, 1]
    assert unlost("handoff", "verify", "../fix.json").code == 0


def test_gate_comes_first(unlost: Program, solver: Repository) -> None:
    """H.27: the gate stops a dispatch before anything about the agent is looked at, a name nobody knows included."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")

    gated = unlost("handoff", "dispatch", "../fix.json", "--agent", "nobody", code=3)

    assert gated.err.endswith("--restore brings it back; nothing was started\n")
    assert solver.read("solver.cpp") == SOLVER_OLD.encode()
    assert "nobody" in unlost("handoff", "dispatch", "../fix.json", "--agent", "nobody", "--restore", code=2).err


def test_worker_that_fails(unlost: Program, tmp_path: Path) -> None:
    """A worker that ends with an error is exit 1; its work stays in the tree and in the boundary after it."""
    command = worker(tmp_path, "echo '// half' >> solver.cpp; exit 7")

    failed = unlost("handoff", "dispatch", "../fix.json", "--agent", "command", "--command", command, code=1)

    assert "nothing lost" in failed.out
    assert b"// half" in (unlost.folder / "solver.cpp").read_bytes()


def test_worker_that_destroys(unlost: Program, solver: Repository, tmp_path: Path) -> None:
    """A worker that throws away what stood before it is exit 4, and the loss is named."""
    solver.write("README.md", "# Solver\nMy own words.\n")
    command = worker(tmp_path, "git checkout -q -- README.md")

    unlost("handoff", "dispatch", "../fix.json", "--agent", "command", "--command", command, code=4)

    assert json.loads(unlost("check", "--json", code=4).out)["lost"][0]["path"] == "README.md"


def test_not_inside_an_attempt(unlost: Program, tmp_path: Path) -> None:
    """An agent that unlost started cannot dispatch another: exit 2."""
    inside = unlost.with_variables(UNLOST_ATTEMPT="a-1")

    assert "inside an attempt" in inside("handoff", "dispatch", "../fix.json", "--agent", "command", code=2).err
