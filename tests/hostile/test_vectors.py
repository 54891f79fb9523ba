"""A repository that configures git to run programs: unlost's own commands run none of them."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest
from hostile.vectors import VECTORS, Planted, Vector
from kit.program import Program
from kit.repository import Repository

COMMITTED = "fn main() {\n    legacy_parse();\n}\n"
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


def fire(vector: Vector, repository: Repository) -> None:
    """Run the plain git command of a vector, on a terminal when it needs one; how it ends does not matter."""
    ours, terminal = pty.openpty()
    with os.fdopen(ours, "rb"), os.fdopen(terminal, "wb") as output:
        subprocess.run(
            ["git", *vector.fires],
            cwd=repository.root,
            env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "TERM": "xterm"},
            input=vector.stdin,
            stdout=output if vector.terminal else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=240,
            check=False,
        )


@pytest.mark.slow
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_nothing_planted_runs(vector: Vector, trap: Planted, alarm: Path, program: Program) -> None:
    """A planted program that plain git runs is not run by mark, check, run, restore, find, status or diff."""
    vector.plant(trap)
    fire(vector, trap.repository)
    assert alarm.exists(), "the vector does not fire under plain git, so this test would prove nothing"
    trap.repository.write("main.rs", EDITED + "// once more\n")
    alarm.unlink()

    program("mark")
    # Back to the committed text: a loss, which stays open over the boundaries of `run` and is restored at the end.
    trap.repository.write("main.rs", COMMITTED)
    (trap.repository.root / "new.txt").unlink(missing_ok=True)
    for command in (
        ("check",),
        ("status",),
        ("diff", "-1"),
        ("find",),
        ("find", "main.rs", "--text", "fn"),
        ("run", "--", "true"),
        ("restore", "--lost"),
        ("rewind", "-1", "-n"),
        ("gc",),
        ("doctor",),
    ):
        program(*command, code=None)

    assert not alarm.exists(), f"a planted program ran: {vector.name}"
    assert trap.repository.read("main.rs") == (EDITED + "// once more\n").encode()
