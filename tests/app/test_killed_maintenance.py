"""Review and maintenance whose supervisor is killed by SIGKILL: real processes, real git, a real bare remote."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from kit.campaign import FULL
from kit.killed import again
from kit.program import Program
from kit.published import Remote
from kit.repository import Repository
from kit.scripted_work import ScriptedWork, finding, hands_in

from unlost.engine.points import POINTS

WHILE_IT_RUNS = ("attempt.prepared", "attempt.ready", "attempt.started")
"""Killed here, the agent of the pass may have done nothing yet."""
REVIEW = tuple(point for point in POINTS if point.startswith(("review.", "repair.")))
MAINTENANCE = (*(point for point in POINTS if point.startswith(("maintenance.", "push."))), *WHILE_IT_RUNS)
REVIEW_SAMPLE = ("review.opened", "review.returned", "repair.opened")
MAINTENANCE_SAMPLE = ("maintenance.repair_intended", "maintenance.returned", "maintenance.resolved", "push.returned")
CODING: list[dict[str, Any]] = [
    {"do": "edit", "path": "main.rs", "before": "legacy_parse", "after": "parse", "only": {"task": "swap"}},
    {"do": "write", "path": "notes.txt", "text": "swaped\n", "only": {"task": "tell"}},
    {"do": "write", "path": "notes.txt", "text": "swapped\n", "only": {"task": "repair/1"}},
    {"do": "write", "path": "main.rs", "text": "fn main() { ours_and_theirs(); }\n", "only": {"task": "maintenance"}},
]
THEIRS = {"main.rs": "fn main() {\n    checked(legacy_parse());\n}\n"}


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("point", REVIEW if FULL else REVIEW_SAMPLE)
def test_a_review_survives_a_kill(repository: Repository, program: Program, tmp_path: Path, point: str) -> None:
    """R.40, R.53: killed by SIGKILL anywhere in review or repair: resumed, repaired once, read again, done."""
    steps = [*CODING, hands_in(finding("notes.txt", "A word is misspelt."), review=1), hands_in(review=[2, 3, 4])]
    work = ScriptedWork.write(tmp_path / "plan", steps, workflow=("code", "review"))
    armed = program.with_variables(UNLOST_CRASH_AT=point)

    done = again(program, armed("run", str(work.plan), "--json", code=None), "resume", "--json")

    assert (done.code, done.json["outcome"]) == (0, "done"), done.err
    assert work.ran().count("repair repair/1") == (0 if repository.read("notes.txt") == b"swaped\n" else 1)
    assert [step for step in work.ran() if step.startswith("code")] == ["code swap", "code tell"]


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("point", MAINTENANCE if FULL else MAINTENANCE_SAMPLE)
def test_maintenance_survives_a_kill(repository: Repository, program: Program, tmp_path: Path, point: str) -> None:
    """R.61, R.63, R.A13c: killed by SIGKILL anywhere, said again: one repair at most is paid, the branch is whole."""
    remote = Remote.beside(repository)
    work = ScriptedWork.write(tmp_path / "plan", CODING, workflow=("code", "publish"))
    unit = program("run", str(work.plan), "--json").json["unit"]
    remote.move_main(THEIRS)
    armed = program.with_variables(UNLOST_CRASH_AT=point)

    ended = again(program, armed("maintain", unit, "--json", code=None), "maintain", unit, "--json")
    if ended.json["maintenance"][-1]["result"] == "not_started":
        ended = program("maintain", unit, "--json", code=None)

    action = ended.json["maintenance"][-1]
    runs = work.ran().count("repair maintenance")
    assert runs <= 1
    if point in WHILE_IT_RUNS and action["result"] == "unknown":
        assert program("maintain", unit, code=3).err.count("not paid for again") == 1
        return
    assert (ended.code, action["result"], runs) == (0, "rebased", 1), ended.err
    branch = action["branch"].removeprefix("refs/heads/")
    assert remote.branches()[branch] == action["after"]
    assert remote.shown(branch, "main.rs") == "fn main() { ours_and_theirs(); }\n"
    remote.git("fsck", "--strict")


@pytest.mark.slow
def test_watching_comes_through_the_same_admission(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.A13d: `maintain --watch` looks after every published unit here, and tells what is new once."""
    remote = Remote.beside(repository)
    work = ScriptedWork.write(tmp_path / "plan", CODING, workflow=("code", "publish"))
    unit = program("run", str(work.plan), "--json").json["unit"]
    remote.move_main(THEIRS)
    watching = program.start("maintain", "--watch", "--every", "1s")
    assert watching.stderr is not None
    line = ""
    while not line.startswith(f"maintain  {unit}"):
        line = watching.stderr.readline()
        assert line, "it ended by itself"
    watching.send_signal(signal.SIGINT)
    _, rest = watching.communicate(timeout=240)
    shown = program("show", unit, "--json").json

    assert "rebased" in line
    assert unit not in rest
    assert watching.returncode == 130
    assert [action["result"] for action in shown["maintenance"]] == ["rebased"]
    assert work.ran().count("repair maintenance") == 1
