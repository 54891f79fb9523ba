"""A terminal that goes away ends a command that drives nothing on: at once, as SIGTERM does, with its records whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kit.ground import eventually
from kit.plans import PlannedWork
from kit.program import Program
from kit.published import Remote
from kit.repository import Repository
from kit.scripted_work import ScriptedWork

from unlost.host.locks import FileLock

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="where a process waits is asked of /proc"),
]

SIGNALS = pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM], ids=["hang-up", "SIGTERM"])
CODING: list[dict[str, Any]] = [
    {"do": "edit", "path": "main.rs", "before": "legacy_parse", "after": "parse", "only": {"task": "swap"}},
    {"do": "write", "path": "notes.txt", "text": "swapped\n", "only": {"task": "tell"}},
]


def start(program: Program, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a command as a terminal has it: a session of its own, a pipe to type into, a pipe that it talks to."""
    return subprocess.Popen(
        program.command(*arguments),
        cwd=program.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def ended(running: subprocess.Popen[bytes], number: signal.Signals) -> bytes:
    """End the session as the system does when its terminal goes; what was said meanwhile."""
    os.killpg(running.pid, number)
    _, said = running.communicate(timeout=240)
    assert running.returncode == -number
    return said


def until_waiting(running: subprocess.Popen[bytes], is_there: Callable[[str], bool]) -> None:
    """Wait until a process sits in a system call that is recognised."""
    place = Path(f"/proc/{running.pid}/wchan")
    eventually(lambda: is_there(place.read_text()) or running.poll() is not None)
    assert running.poll() is None


@SIGNALS
def test_a_watch_over_published_work_ends(
    repository: Repository, program: Program, tmp_path: Path, number: signal.Signals
) -> None:
    """`maintain --watch` between two looks: what it did is on record once, and nothing of it holds the workspace."""
    remote = Remote.beside(repository)
    work = ScriptedWork.write(tmp_path / "plan", CODING, workflow=("code", "publish"))
    unit = program("run", str(work.plan), "--json").json["unit"]
    remote.move_main({"lib.rs": "pub fn other() {}\n"})
    watching = start(program, "maintain", "--watch", "--every", "1h")
    assert watching.stderr is not None
    while b"rebased" not in watching.stderr.readline():
        assert watching.poll() is None

    ended(watching, number)

    done = program("maintain", unit, "--json").json
    assert [action["result"] for action in done["maintenance"]] == ["rebased"]


@SIGNALS
def test_a_recovery_ends(repository: Repository, program: Program, tmp_path: Path, number: signal.Signals) -> None:
    """`recover` in the middle of its proof: the next one, or `resume`, goes on from a record that is whole."""
    tasks = {"first": "    echo 1 >>first.txt", "second": '    test -e "$HOME/go" && echo 2 >>second.txt'}
    work = PlannedWork.write(tmp_path / "plan", tasks, head="[budget]\nattempts = 1\n")
    failed = program("run", str(work.plan), "--json", code=1).json
    Path(os.environ["HOME"], "go").touch()
    folder = Path(os.environ["UNLOST_HOME"], "workspaces", failed["workspace"])
    with FileLock(str(folder / "capture.lock")):
        recovering = start(program, "recover", failed["unit"])
        until_waiting(recovering, lambda place: "lock" in place)
        ended(recovering, number)

    if program("status", failed["unit"], "--json", code=None).json["revision"] == 1:
        program("recover", failed["unit"], code=None)
    done = program("resume", failed["unit"], "--json").json
    assert (done["outcome"], done["revision"]) == ("done", 2)
    assert work.attempts() == ["first", "second", "second"]


@SIGNALS
def test_a_review_that_is_being_typed_ends(
    repository: Repository, program: Program, tmp_path: Path, number: signal.Signals
) -> None:
    """`review --findings -` while a person types: half of it is no review, and the unit waits as before."""
    work = PlannedWork.write(
        tmp_path / "plan",
        {"first": "    echo 1 >>first.txt"},
        head='[workflow]\nsteps = ["code", "review"]\n[review]\nuse = "person"\n',
    )
    waiting = program("run", str(work.plan), "--json", code=3).json
    typing = start(program, "review", waiting["unit"], "--findings", "-")
    assert typing.stdin is not None
    typing.stdin.write(b'{"findings": [')
    typing.stdin.flush()
    until_waiting(typing, lambda place: "pipe" in place)

    ended(typing, number)

    assert program("show", waiting["unit"], "--json").json["reason"] == waiting["reason"]
    program("review", waiting["unit"], "--none", code=None)
    assert program("resume", waiting["unit"], "--json").json["outcome"] == "done"
