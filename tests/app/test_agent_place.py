"""Where agents live: a home of their own, and walls."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from app.supervising import Bench, plan_of
from kit.program import Program
from kit.repository import Repository
from kit.walls import WHY_NOT

from unlost.app.agent_place import agent_environment, own_home, require_sandbox
from unlost.app.hook_files import hook_command
from unlost.attempt.sandbox import Walls, walled
from unlost.facts.errors import UsageError
from unlost.plan.facts import AgentChoice

OWN = AgentChoice(use="command", command=("x",), home="own")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A workspace's folder in a state home."""
    return str(tmp_path / "state" / "workspaces" / "w-1")


def test_a_home_of_their_own(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`home = "own"`: the agents of a workspace share one home in the state home.

    The person's configuration folders do not lead out of it; their name in git does.
    """
    (tmp_path / "person").mkdir()
    (tmp_path / "person" / ".gitconfig").write_text("[user]\n", encoding="utf-8")
    for name, value in (
        ("HOME", str(tmp_path / "person")),
        ("CODEX_HOME", "/c"),
        ("XDG_DATA_HOME", "/d"),
        ("KEY", "k"),
    ):
        monkeypatch.setenv(name, value)
    environment = agent_environment(OWN, ("CODEX_HOME", "XDG_DATA_HOME", "KEY"), folder)

    assert environment["HOME"] == own_home(folder) == own_home(f"{folder}/research") == f"{folder}/home"
    assert Path(folder, "home").stat().st_mode & 0o777 == 0o700
    assert {"CODEX_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"}.isdisjoint(environment)
    assert environment["KEY"] == "k"
    assert environment["GIT_CONFIG_GLOBAL"] == str(tmp_path / "person" / ".gitconfig")
    assert environment["UNLOST_HOME"] == str(tmp_path / "state")


def test_the_persons_home_is_left_as_it_is(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`home = "user"`: the agent sees the person's settings and logins; nothing is made."""
    monkeypatch.setenv("CODEX_HOME", "/c")
    environment = agent_environment(AgentChoice(use="codex"), ("CODEX_HOME",), folder)

    assert (environment["HOME"], environment["CODEX_HOME"]) == (os.environ["HOME"], "/c")
    assert not Path(folder).exists()


def test_walls_that_cannot_be_built_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without bubblewrap, or where the system forbids it, nothing is started and the reason is named."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="not installed; nothing was started"):
        require_sandbox()
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'No permissions to create new namespace' >&2; exit 1\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(UsageError, match=r"No permissions to create new namespace\); nothing was started"):
        require_sandbox()


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
def test_an_agent_behind_walls_does_its_task(bench: Bench, repository: Repository, tmp_path: Path) -> None:
    """`sandbox = "bwrap"`: the task is done, git works, and neither our state nor another workspace is to be seen."""
    other = tmp_path / "elsewhere" / "other"
    other.mkdir(parents=True)
    (other / "theirs.txt").write_text("theirs", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    committed = ["-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "x"]
    subprocess.run(["git", "-C", str(other), *committed], check=True)
    Bench(repository=Repository(root=other), folder=tmp_path / "others").run(
        bench.work({"theirs": "echo more >>theirs.txt"}, name="theirs")
    )
    line = f"""
        git status >/dev/null && ls {other} >seen.txt; ls "$UNLOST_HOME" >>seen.txt; touch {other}/intruder || true
        echo '{{"outcome": "completed"}}' >"$UNLOST_OUTBOX/report.json"
    """
    work = bench.work({"mine": line})
    plan = plan_of(work)
    with bench.supervisor() as supervisor:
        behind = replace(plan, agent=replace(plan.agent, sandbox="bwrap"))
        unit = supervisor.run(behind, plan_folder=str(work.plan.parent))

    assert unit.outcome == "done"
    assert repository.read("seen.txt") == b"workspaces\n"
    assert sorted(path.name for path in other.iterdir()) == [".git", "theirs.txt"]


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
def test_a_hook_behind_walls_fails_closed(program: Program, repository: Repository) -> None:
    """Where our state is hidden nothing can be kept, so what is recognised as a discard does not run."""
    repository.write("main.rs", "a person's work\n")
    program("mark")
    state, root = os.environ["UNLOST_HOME"], str(repository.root)
    walls = Walls(program=require_sandbox(), writable=("/tmp",), hidden=(state,), inside=(root,))
    call = {"cwd": root, "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    done = subprocess.run(
        walled(walls, ("/bin/sh", "-c", hook_command("claude"))),
        input=json.dumps({**call, "tool_input": {"command": "git checkout -- main.rs"}}),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "this was not run" in done.stderr
