"""A repository that configures git to run programs: unlost's own commands run none of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hostile.vectors import VECTORS, Planted, Vector
from kit.program import Program
from kit.repository import Repository

EDITED = "fn main() {\n    parse_all();\n}\n"


@pytest.fixture
def alarm(tmp_path: Path) -> Path:
    """The file that a planted program writes."""
    return tmp_path / "alarm"


@pytest.fixture
def trap(repository: Repository, alarm: Path, tmp_path: Path) -> Planted:
    """The repository with changes in it, and a program to be planted."""
    program = tmp_path / "planted"
    program.write_text(f"#!/bin/sh\necho ran >>'{alarm}'\n")
    program.chmod(0o755)
    repository.write("main.rs", EDITED)
    repository.write("new.txt", "new\n")
    return Planted(repository=repository, program=program)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_nothing_planted_runs(vector: Vector, trap: Planted, alarm: Path, program: Program) -> None:
    """A planted program that plain git runs is not run by mark, check, run, restore, find, status or diff."""
    vector.plant(trap)
    subprocess.run(
        ["git", *vector.fires],
        cwd=trap.repository.root,
        capture_output=True,
        check=False,
        timeout=30,
        stdin=subprocess.DEVNULL,
    )
    assert alarm.exists(), "the vector does not fire under plain git, so this test would prove nothing"
    trap.repository.write("main.rs", EDITED + "// once more\n")
    alarm.unlink()

    program("mark")
    trap.repository.write("main.rs", "fn main() {}\n")
    (trap.repository.root / "new.txt").unlink(missing_ok=True)
    for command in (
        ("check",),
        ("status",),
        ("log",),
        ("diff", "-1"),
        ("run", "--", "true"),
        ("restore", "--lost"),
        ("restore", "main.rs"),
        ("find", "main.rs"),
        ("mark",),
        ("doctor",),
    ):
        program(*command, code=None)

    assert not alarm.exists(), f"a planted program ran: {vector.name}"
    assert trap.repository.read("main.rs") == (EDITED + "// once more\n").encode()
