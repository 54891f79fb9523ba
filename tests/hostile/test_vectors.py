"""A repository that configures git to run programs: unlost's own commands run none of them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from contextlib import suppress
from io import RawIOBase
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hostile.vectors import VECTORS, Planted, Vector
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

COMMITTED = "fn main() {\n    legacy_parse();\n}\n"
EDITED = "fn main() {\n    parse_all();\n}\n"
PLAIN = (
    ("check",),
    ("check", "--paranoid"),
    ("status",),
    ("log", "--events"),
    ("snapshots",),
    ("show", "0:main.rs"),
    ("diff", "-1"),
    ("find",),
    ("find", "main.rs", "--text", "fn"),
    ("run", "--", "true"),
    ("restore", "--lost"),
    ("undo",),
    ("redo",),
    ("rewind", "0"),
    ("gc",),
    ("doctor", "--deep"),
)
HANDOFF = {
    "task": "write",
    "iteration_cap": 1,
    "design_decisions": [],
    "failing_tests": [],
    "exact_fixes": [{"file": "main.rs", "anchor": "fn main() {", "before": "legacy", "after": "parse_all"}],
    "new_files": ["new.txt"],
    "remaining_steps": ["go on"],
    "source": "handoff",
}


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


def on_terminal(argv: list[str], folder: Path, **options: Any) -> None:
    """Run a program whose standard output and errors are a terminal; how it ends does not matter."""
    ours, terminal = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        reading = Thread(target=drain, args=(screen,))
        reading.start()
        with os.fdopen(terminal, "wb") as output:
            subprocess.run(argv, cwd=folder, stdout=output, stderr=output, timeout=240, check=False, **options)
        reading.join()


def drain(screen: RawIOBase) -> None:
    """Read what is written to a terminal until nobody writes to it any more."""
    # Linux tells the end of a terminal by an error, others by nothing more to read.
    with suppress(OSError):
        while screen.read(4096):
            pass


def fire(vector: Vector, repository: Repository) -> None:
    """Run the plain git command of a vector, on a terminal when it needs one; how it ends does not matter."""
    env = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "TERM": "xterm"}
    argv = ["git", *vector.fires]
    if vector.terminal:
        on_terminal(argv, repository.root, env=env)
    else:
        subprocess.run(
            argv, cwd=repository.root, env=env, input=vector.stdin, capture_output=True, timeout=240, check=False
        )


def arm(vector: Vector, trap: Planted, alarm: Path) -> None:
    """Plant the vector, and prove that plain git falls into it."""
    vector.plant(trap)
    fire(vector, trap.repository)
    assert alarm.exists(), "the vector does not fire under plain git, so this test would prove nothing"
    trap.repository.write("main.rs", EDITED + "// once more\n")
    alarm.unlink()


@pytest.mark.slow
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_nothing_planted_runs(vector: Vector, trap: Planted, alarm: Path, program: Program) -> None:
    """A planted program that plain git runs is run by none of unlost's commands, and what was lost comes back."""
    arm(vector, trap, alarm)

    def call(*command: str) -> None:
        if vector.terminal:
            on_terminal(program.command(*command), trap.repository.root, env={**os.environ, "TERM": "xterm"})
        else:
            program(*command, code=None)

    program("mark")
    # Back to the committed text: a loss, which stays open over the boundaries of `run` and is restored at the end.
    trap.repository.write("main.rs", COMMITTED)
    (trap.repository.root / "new.txt").unlink(missing_ok=True)
    for command in PLAIN:
        call(*command)

    assert not alarm.exists(), f"a planted program ran: {vector.name}"
    assert trap.repository.read("main.rs") == (EDITED + "// once more\n").encode()


@pytest.mark.slow
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_nothing_planted_runs_around_a_plan(
    vector: Vector, trap: Planted, alarm: Path, program: Program, tmp_path: Path
) -> None:
    """Nor is it by what a plan needs: a worktree, its way home and its end, handoffs, saving and restoring."""
    arm(vector, trap, alarm)
    work = PlannedWork.write(tmp_path / "plan", {"write": "    echo planned >planned.txt"})
    handoff = tmp_path / "handoff.json"
    handoff.write_text(json.dumps(HANDOFF))

    program("run", str(work.plan), "--worktree", "beside")
    beside = next(
        each for each in program("workspace", "list", "--json").json["workspaces"] if "beside" in each["root"]
    )
    for command in (
        ("workspace", "apply", beside["workspace"]),
        ("workspace", "remove", beside["workspace"], "--force"),
        ("handoff", "verify", str(handoff)),
        ("handoff", "resume", str(handoff)),
        ("workspace", "save"),
    ):
        program(*command, code=None)
    here = program("workspace", "list", "--json").json["workspaces"]
    saved = next(each["workspace"] for each in here if each["root"] == os.path.realpath(trap.repository.root))
    program("workspace", "restore", saved, "--to", str(tmp_path / "elsewhere"), "--place", "elsewhere", code=None)

    assert not alarm.exists(), f"a planted program ran: {vector.name}"
    assert trap.repository.read("planned.txt") == b"planned\n"
    assert (tmp_path / "elsewhere" / "main.rs").read_text() == EDITED + "// once more\n"
