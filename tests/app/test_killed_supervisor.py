"""The main job with the supervisor killed by SIGKILL: real processes, real git, a real agent."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from kit.campaign import FULL
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

from unlost.engine.points import POINTS
from unlost.facts.errors import UsageError

RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"
ELSEWHERE = "    echo 'pub fn parse_all() {}' >>lib.rs"
WIPE_ONCE = """    if [ ! -e "$0.wiped" ]; then git checkout -- main.rs; touch "$0.wiped"; fi
    echo '- parser renamed' >>docs/notes.md"""
TASKS = {"rename": RENAME, "elsewhere": ELSEWHERE, "notes": WIPE_ONCE}
# Each attempt looks whether the process of an earlier one still lives, and says so.
ALONE = (
    '    if [ -e "$0.pid" ] && kill -0 "$(cat "$0.pid")" 2>/dev/null; then echo two >>"$0.two"; fi; echo $$ >"$0.pid"\n'
)
HEAD = '[[check]]\nname = "suite"\nrun = ["sh", "-c", "grep -q parse_all main.rs"]\n'

ATTEMPT_POINTS = ("attempt.prepared", "attempt.ready", "attempt.started", "attempt.over")
CAPTURE_POINTS = ("capture.before_objects", "capture.before_refs", "capture.before_snapshot", "capture.before_state")
EVERY_POINT = (
    *(point for point in POINTS if not point.startswith(("revision", "restore", "task.failed"))),
    *ATTEMPT_POINTS,
    *CAPTURE_POINTS,
)
PASSES = (1, 2, 3)
SAMPLE = (
    ("unit.bounded", 1),
    ("boundary.recorded", 2),
    ("attempt.intended", 2),
    ("attempt.started", 1),
    ("attempt.returned", 2),
    ("attempt.bounded", 1),
    ("check.returned", 1),
)
"""What every run of the suite tries; `make campaign` tries every point at its first three passes."""

CASES = tuple((point, times) for point in EVERY_POINT for times in PASSES) if FULL else SAMPLE


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize(("point", "times"), CASES)
def test_the_main_job_survives_a_kill(
    repository: Repository, program: Program, tmp_path: Path, point: str, times: int
) -> None:
    """Decision 12: killed by SIGKILL anywhere and resumed, the unit blocks on the loss, is restored, and is done.

    No finished task is repeated, and never do two agents run in one workspace.
    """
    work = PlannedWork.write(tmp_path / "plan", {task: ALONE + lines for task, lines in TASKS.items()}, head=HEAD)
    armed = program.with_variables(UNLOST_CRASH_AT=f"{point}:{times}")

    ended = armed("run", str(work.plan), "--json", code=None)
    died = ended.code == -signal.SIGKILL
    while ended.code == -signal.SIGKILL:
        ended = program("resume", "--json", code=None)
        if ended.code == UsageError.exit_code:  # killed before anything of the unit was on record
            ended = program("run", str(work.plan), "--json", code=None)
    blocked = ended.json
    assert [(lost["path"], lost["state"]) for lost in blocked["lost"]] == [("main.rs", "reverted")]
    assert (blocked["phase"], ended.code) == ("blocked", 4)

    program("restore", "main.rs")
    ended = (program if died else armed)("resume", "--json", code=None)
    while ended.code == -signal.SIGKILL:
        ended = program("resume", blocked["unit"], "--json", code=None)

    assert (ended.code, ended.json["outcome"]) == (0, "done"), ended.err
    assert repository.read("main.rs") == b"fn main() {\n    parse_all();\n}\n"
    assert b"parser renamed" in repository.read("docs/notes.md")
    assert not Path(f"{work.plan.parent}/agent.sh.two").exists()
    finished = [task["id"] for task in ended.json["tasks"] if task["state"] == "done"]
    assert finished == ["rename", "elsewhere", "notes"]
    for task in ended.json["tasks"]:
        # An attempt that was ended with its supervisor is followed by one more; a finished one by none.
        assert work.attempts().count(task["id"]) <= task["attempts"] <= 2
