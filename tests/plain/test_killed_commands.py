"""Every command of plain mode may be killed at any instant: the next one works, and nothing is left that wedges it."""

from __future__ import annotations

import os
import random
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from kit.campaign import FULL, rounds
from kit.program import Program
from kit.repository import Repository

SEEDS = range(8, 12) if FULL else (8,)
KILLS = rounds(14, 150)
LONGEST = 0.5
"""Seconds after which a command is killed, at most; most are over by then on an idle machine."""

COMMANDS = (
    ("mark",),
    ("check",),
    ("restore", "--lost"),
    ("rewind", "0"),
    ("undo",),
    ("gc",),
    ("find", "main.rs"),
    ("status",),
)
STALE = ("index.lock", "packed-refs.lock", "HEAD.lock", "config.lock")


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("seed", SEEDS)
def test_killed_at_any_instant(
    repository: Repository, program: Program, seed: int, record_property: Callable[[str, object], None]
) -> None:
    """Any command, killed by SIGKILL at any instant: the next command works, no lock is in its way, nothing leaks."""
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
    program("mark")
    killed = 0
    for turn in range(KILLS):
        repository.write("main.rs", f"turn {turn}\n" * (turn % 9))
        repository.write(f"new{turn % 5}", f"{turn}\n")
        if turn % 3 == 0 and repository.exists(f"new{(turn + 2) % 5}"):
            repository.remove(f"new{(turn + 2) % 5}")
        killed += kill(program, COMMANDS[turn % len(COMMANDS)], chance.uniform(0.02, LONGEST))
        if turn % 7 == 6:
            program("check", code=None)
            assert_the_next_mark_holds(repository, program)
    record_property("kills", killed)

    assert_the_next_mark_holds(repository, program)
    program("gc")
    home = Path(os.environ["UNLOST_HOME"])
    assert [path for path in home.rglob("*") if path.name.startswith(("tmp_", "stage-"))] == []
    for store in home.glob("stores/*/store.git"):
        subprocess.run(["git", "-C", str(store), "fsck", "--strict", "--no-dangling"], check=True, capture_output=True)


def kill(program: Program, command: tuple[str, ...], after: float) -> bool:
    """Start a command and kill it, with what it started or alone; whether it was still running."""
    child = subprocess.Popen(
        program.command(*command, "-y"),
        cwd=program.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        child.wait(timeout=after)
    except subprocess.TimeoutExpired:
        (os.killpg if int(after * 1e6) % 2 else os.kill)(child.pid, signal.SIGKILL)
        child.wait()
        return True
    return False


def assert_the_next_mark_holds(repository: Repository, program: Program) -> None:
    """A mark works, holds exactly the tree, and no lock of a dead process lies in the work tree's git dir or ours."""
    marked = program("mark", "--json", code=None)
    assert marked.code in (0, 4), marked.err
    shown = program("show", f"{marked.json['snapshot']}:main.rs")
    assert shown.out.encode() == repository.read("main.rs")
    assert not [name for name in STALE if (repository.root / ".git" / name).exists()]
