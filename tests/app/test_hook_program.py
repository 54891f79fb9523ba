"""The hook as agents call it: the front, the look and the act as real processes on a real repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from kit.program import Program
from kit.repository import Repository

from unlost.app import hook_files
from unlost.plain.hook_settings import FRONT as NAME

pytestmark = pytest.mark.slow

FRONT = Path(hook_files.__file__).parent / NAME
NO_PYTHON = "/nonexistent/python3"


@dataclass(frozen=True)
class Hook:
    """Calls the hook in a folder, as Claude Code does unless told otherwise."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def __call__(
        self, moment: str, command: str = "", *, agent: str = "claude", python: str = sys.executable, **given: object
    ) -> subprocess.CompletedProcess[str]:
        tool = {"tool_name": "Bash", "tool_input": {"command": command, "description": "a form of it"}}
        call = {"session_id": "s", "cwd": str(self.folder), "permission_mode": "default", "hook_event_name": moment}
        return subprocess.run(
            ["/bin/sh", str(FRONT), python, agent],
            input=json.dumps({**call, **(tool if command else {}), **given}),
            env={**os.environ, **self.variables},
            cwd="/",
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )


@pytest.fixture
def hook(repository: Repository, tmp_path: Path) -> Hook:
    return Hook(repository.root, {"TMPDIR": str(tmp_path)})


@pytest.fixture
def attempt(hook: Hook) -> Hook:
    """The hook below a supervised attempt."""
    return Hook(hook.folder, {**hook.variables, "UNLOST_ATTEMPT": "a-1", "UNLOST_UNIT": "u-1"})


@pytest.mark.parametrize("command", ["ls -la", "git status", "git commit -m 'farm form'", "cargo build", "echo warm"])
def test_what_cannot_matter_passes_without_python(hook: Hook, command: str) -> None:
    """The front lets ordinary commands through by itself: there is no Python to be started here."""
    done = hook("PreToolUse", command, python=NO_PYTHON)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("command", ["git checkout -b topic", "make clean && git log", "git stash list"])
def test_what_discards_nothing_passes(hook: Hook, command: str) -> None:
    """A command that only looks like a discard passes in silence, and nothing is captured."""
    done = hook("PreToolUse", command)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not Path(os.environ["UNLOST_HOME"]).exists()


@pytest.mark.parametrize("command", ["git checkout -- main.rs", "echo\nrm -rf main.rs", "bash -c 'git restore .'"])
def test_a_discard_is_saved_first(hook: Hook, program: Program, repository: Repository, command: str) -> None:
    """Outside of attempts it runs, after a snapshot; person and model are told the command that brings it back."""
    repository.write("main.rs", "hours of work\n")
    done = hook("PreToolUse", command)
    answer = json.loads(done.stdout)

    assert done.returncode == 0
    assert answer["systemMessage"] == answer["hookSpecificOutput"]["additionalContext"]
    repository.git("checkout", "--", "main.rs")
    snapshot = answer["systemMessage"].split()[-1]
    program("restore", "main.rs", "--from", snapshot)
    assert repository.read("main.rs") == b"hours of work\n"


def test_in_an_attempt_a_persons_work_is_not_discarded(attempt: Hook, program: Program, repository: Repository) -> None:
    """Exit 2 stops the command; its words name the work, its owner and the safe way."""
    repository.write("main.rs", "a person's work\n")
    program("mark")
    done = attempt("PreToolUse", "git checkout -- main.rs")

    assert done.returncode == 2
    assert "main.rs (a person's)" in done.stderr
    assert "edit those lines back" in done.stderr


def test_in_an_attempt_own_work_may_go(attempt: Hook, program: Program, repository: Repository) -> None:
    """What nobody else counts on is saved, and the command runs: the guard does not stand in the way."""
    program("mark")
    repository.write("main.rs", "a first try\n")

    assert attempt("PreToolUse", "git checkout -- main.rs").returncode == 0
    assert attempt("PreToolUse", "rm -rf target").stdout == ""


def test_asking_is_refusing_where_nobody_can_be_asked(hook: Hook, program: Program, repository: Repository) -> None:
    """`[hooks] discard = "ask"`: Claude Code asks the person; Codex would take it for a yes, so it is refused."""
    settings = Path(os.environ["HOME"], ".config", "unlost", "config.toml")
    settings.parent.mkdir(parents=True)
    settings.write_text('[hooks]\ndiscard = "ask"\n')
    repository.write("main.rs", "a person's work\n")
    program("mark")

    asked = json.loads(hook("PreToolUse", "git reset --hard").stdout)["hookSpecificOutput"]
    assert asked["permissionDecision"] == "ask"
    assert hook("PreToolUse", "git reset --hard", agent="codex").returncode == 2


def test_a_recognised_discard_fails_closed(hook: Hook, repository: Repository) -> None:
    """When nothing can be saved, the command does not run."""
    repository.write("main.rs", "work\n")
    unusable = Hook(hook.folder, {**hook.variables, "UNLOST_HOME": "/proc/none"})
    done = unusable("PreToolUse", "git reset --hard")

    assert done.returncode == 2
    assert "not run" in done.stderr


def test_a_broken_hook_lets_all_else_pass_and_says_so_once(hook: Hook) -> None:
    """Without Python nothing is recognised: calls pass; the first one says so, as an error that blocks nothing."""
    first = hook("PreToolUse", "git checkout -b topic", python=NO_PYTHON)
    second = hook("Stop", python=NO_PYTHON)

    assert (first.returncode, second.returncode) == (1, 0)
    assert "the hook does not work" in first.stderr


def test_outside_a_repository_nothing_is_guarded(tmp_path: Path) -> None:
    """There is nothing of ours to save there."""
    done = Hook(tmp_path)("PreToolUse", "rm -rf everything")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_session_is_told_what_stands_and_what_fell(hook: Hook, program: Program, repository: Repository) -> None:
    """Its start tells the model what must stay; a loss is told once, in one line, and blocks nothing."""
    repository.write("main.rs", "a person's work\n")
    began = hook("SessionStart", source="startup")
    repository.git("checkout", "--", "main.rs")
    fell, again = hook("Stop"), hook("Stop")

    assert began.stdout == "unlost: boundary 0; 1 uncommitted path of earlier work must stay.\n"
    assert json.loads(fell.stdout)["systemMessage"].startswith("unlost: 1 lost: unlost restore --lost")
    assert (fell.returncode, again.returncode, again.stdout) == (0, 0, "")
    program("restore", "--lost")
    assert repository.read("main.rs") == b"a person's work\n"


def test_what_a_session_made_is_not_claimed(hook: Hook, repository: Repository) -> None:
    """A person may ask the agent to take its own work back: that is no loss."""
    hook("SessionStart", source="startup")
    repository.write("main.rs", "the agent's first idea\n")
    hook("Stop")
    repository.git("checkout", "--", "main.rs")

    assert hook("Stop").stdout == ""


def test_installed_and_uninstalled_the_file_is_what_it_was(program: Program, repository: Repository) -> None:
    """`hooks install` shows what it writes; `uninstall` gives back the very bytes, or no file where none was."""
    before = b'{"permissions":{"allow":["Bash(ls)"]},\n   "hooks":{}}'
    repository.write(".claude/settings.local.json", before.decode())
    shown = program("hooks", "install", "claude").out
    program("hooks", "install", "claude")
    installed = repository.read(".claude/settings.local.json").decode()
    standing = program("hooks", "status", "--json").json["hooks"]
    program("hooks", "uninstall", "claude")

    assert installed in shown
    assert standing[0] == {"agent": "claude", "scope": "local", "installed": True}
    assert repository.read(".claude/settings.local.json") == before
    program("hooks", "install", "codex")
    assert Path(os.environ["HOME"], ".codex", "hooks.json").exists()
    program("hooks", "uninstall", "codex")
    assert not Path(os.environ["HOME"], ".codex", "hooks.json").exists()


def test_a_file_that_was_edited_since_keeps_the_edit(program: Program, repository: Repository) -> None:
    """Only our entries go; what the person added stays."""
    program("hooks", "install", "claude")
    settings = json.loads(repository.read(".claude/settings.local.json"))
    repository.write(".claude/settings.local.json", json.dumps({**settings, "model": "opus"}))
    program("hooks", "uninstall", "claude")

    assert json.loads(repository.read(".claude/settings.local.json")) == {"model": "opus"}


def test_a_shared_settings_file_names_no_machine(program: Program, repository: Repository, tmp_path: Path) -> None:
    """`--project` writes the file that is committed: its hook works here, and does nothing where unlost is not."""
    before = b'{"model": "opus"}\n'
    repository.write(".claude/settings.json", before.decode())
    program("hooks", "install", "claude", "--project")
    installed = repository.read(".claude/settings.json").decode()
    command = json.loads(installed)["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
    repository.write("main.rs", "my own work\n")
    program("mark")
    call = {"cwd": str(repository.root), "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    discard = json.dumps({**call, "tool_input": {"command": "git checkout -- main.rs"}})

    def called(**variables: str) -> tuple[int, str]:
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            input=discard,
            env={**os.environ, "TMPDIR": str(tmp_path), **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    assert not any(place in installed for place in (sys.executable, str(FRONT.parent), os.environ["HOME"]))
    code, told = called(UNLOST_ATTEMPT="a-1", UNLOST_UNIT="u-1")
    assert (code, "main.rs" in told) == (2, True)
    assert called(UNLOST_HOME=str(tmp_path / "elsewhere")) == (0, "")
    program("hooks", "uninstall", "claude", "--project")
    assert repository.read(".claude/settings.json") == before
