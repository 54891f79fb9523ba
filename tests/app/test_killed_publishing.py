"""A unit that commits and publishes, its supervisor killed by SIGKILL at every step: real git, a real remote."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from kit.campaign import FULL
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

from unlost.engine.points import POINTS
from unlost.git.deliver import POINTS as DELIVERY

EVERY_POINT = (*(point for point in POINTS if point.startswith(("commit.", "push.", "request."))), *DELIVERY)
SAMPLE = ("commit.intended", "deliver.index", "deliver.moved", "push.intended", "push.returned", "request.returned")
"""What every run of the suite tries; `make campaign` tries every point."""
TASKS = {"rename": "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak", "note": "    echo x >>lib.rs"}
HEAD = '[workflow]\nsteps = ["code", "publish"]\n[commit]\nmode = "each_task"\n'


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("point", EVERY_POINT if FULL else SAMPLE)
def test_commits_and_pushes_survive_a_kill(
    repository: Repository, program: Program, tmp_path: Path, point: str
) -> None:
    """Decision 12, R.56: killed at any durable write, each task is committed once and the branch pushed once."""
    remote = Repository.create(tmp_path / "remote.git", "--bare")
    repository.git("remote", "add", "origin", f"file://{remote.root}")
    repository.git("push", "-q", "origin", "main")
    counted = tmp_path / "counted"
    hook = remote.root / "hooks" / "post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ncat >>{counted}\n")
    hook.chmod(0o755)
    repository.write("mine.txt", "mine\n")
    work = PlannedWork.write(tmp_path / "plan", TASKS, head=HEAD)

    ended = program.with_variables(UNLOST_CRASH_AT=point)("run", str(work.plan), "--json", code=None)
    assert ended.code == -signal.SIGKILL
    ended = program("resume", "--json")

    assert ended.json["outcome"] == "done", ended.err
    assert work.attempts() == ["rename", "note"]
    assert repository.git("log", "--format=%s").splitlines() == ["Do note.", "Do rename.", "first"]
    assert repository.git("status", "--porcelain") == "?? mine.txt"
    assert len(counted.read_text().splitlines()) == 1
    head = repository.git("rev-parse", "HEAD")
    assert remote.git("rev-parse", f"refs/heads/{ended.json['publish']['branch']}") == head
    assert not [path.name for path in (repository.root / ".git").iterdir() if "unlost" in path.name]
