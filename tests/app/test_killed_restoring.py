"""A unit that restores by itself (`on_loss = "restore"`), with its supervisor killed by SIGKILL amid that."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from kit.campaign import FULL
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

from unlost.facts.errors import UsageError

EDIT = "    printf 'fn main() { parse_all(); }\\n' >main.rs; printf 'made\\n' >made.txt"
WIPE = "    git checkout -q -- main.rs; rm -f made.txt; echo '- told' >>docs/notes.md"
HEAD = """\
[scope]
paths = ["main.rs", "made.txt", "docs/**"]
[guard]
on_loss = "restore"
[[check]]
name = "suite"
run = ["sh", "-c", "grep -q parse_all main.rs"]
"""
UNIT_POINTS = ("restore.intended", "restore.returned", "restore.recorded")
FILE_POINTS = (
    *("restore.journalled", "restore.staged_one", "restore.staged", "restore.ready", "restore.checked"),
    *("restore.swapped", "restore.stepped", "restore.placed", "restore.synced", "restore.cleaned"),
)
EVERY = UNIT_POINTS + FILE_POINTS
SAMPLE = ("restore.intended", "restore.ready", "restore.swapped", "restore.returned")


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("point", EVERY if FULL else SAMPLE)
def test_a_unit_killed_while_it_restores(repository: Repository, program: Program, tmp_path: Path, point: str) -> None:
    """G.16: killed anywhere within its own restore and resumed, the unit has the lost work back and is done."""
    work = PlannedWork.write(tmp_path / "plan", {"edit": EDIT, "wipe": WIPE}, head=HEAD)
    armed = program.with_variables(UNLOST_CRASH_AT=point)

    ended = armed("run", str(work.plan), "--json", code=None)
    died = ended.code == -signal.SIGKILL
    for _ in range(3):
        if ended.code != -signal.SIGKILL:
            break
        ended = program("resume", "--json", code=None)
        if ended.code == UsageError.exit_code:
            ended = program("run", str(work.plan), "--json", code=None)

    assert died, "the point was never met"
    assert (ended.code, ended.json["outcome"]) == (0, "done"), ended.err
    assert repository.read("main.rs") == b"fn main() { parse_all(); }\n"
    assert repository.read("made.txt") == b"made\n"
    assert b"told" in repository.read("docs/notes.md")
    assert work.attempts() == ["edit", "wipe"], "no attempt is paid for twice"
