"""A person at a terminal with the real Claude Code, played by the scripted model: wrapped by unlost, and on its own."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit.program import Program
from kit.real_agents import missing, variables
from kit.repository import Repository
from kit.scripted_model import ScriptedModel, Step, scripted_model
from kit.terminal import Terminal, needs_tmux

pytestmark = [pytest.mark.service, pytest.mark.slow, needs_tmux]

MINE = "pub fn legacy_parse() { /* mine */ }\n"
WIPE = (Step(command="echo agent >>agent.txt"), Step(command="git checkout -- lib.rs"), Step(text="All done."))


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """The model, which throws a person's edit away."""
    reason = missing("claude")
    if reason:
        pytest.skip(reason)
    with scripted_model({"wipe": WIPE}) as playing:
        yield playing


def seated(model: ScriptedModel, repository: Repository, folder: Path) -> Terminal:
    """A terminal in the repository, where `claude` knows its person and `unlost` is the program under test."""
    names = variables("claude", model, folder / "machine")
    known = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": ["no-key"], "rejected": []},
        "projects": {str(repository.root): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}},
    }
    Path(names["HOME"], ".claude.json").write_text(json.dumps(known))
    script = folder / "seat.sh"
    lines = [f"export {name}={shlex.quote(value)}" for name, value in names.items()]
    lines += [
        f'unlost() {{ {shlex.quote(sys.executable)} -m unlost "$@"; }}',
        f"cd {shlex.quote(str(repository.root))}",
    ]
    script.write_text("\n".join(lines))
    terminal = Terminal(folder, width=110, height=40)
    terminal.type(f". {script}; clear")
    return terminal


def let_it_wipe(terminal: Terminal) -> None:
    """Ask for the work, and say yes when it asks back."""
    terminal.expect("accept edits on")
    terminal.type("SCENARIO:wipe please")
    terminal.expect("Do you want to proceed?")
    terminal.press("Enter")
    terminal.expect("1 lost: unlost restore --lost")


def leave(terminal: Terminal) -> None:
    """Leave the session as a person does, in one breath: the second key counts only shortly after the first."""
    terminal.press("C-c", "C-c")


def test_a_wrapped_session_ends_with_one_line(
    model: ScriptedModel, repository: Repository, program: Program, tmp_path: Path
) -> None:
    """`unlost run -- claude` with hooks: the terminal is Claude's, and one line at the end tells of the whole session.

    The hook keeps what a discarding command takes, and its own boundary hides nothing from the end: exit 4.
    """
    repository.write("lib.rs", MINE)
    terminal = seated(model, repository, tmp_path)
    try:
        terminal.type(
            "unlost hooks install claude >/dev/null; unlost run -- claude --permission-mode acceptEdits; echo rc=$?"
        )
        let_it_wipe(terminal)
        leave(terminal)
        terminal.expect("rc=4")
        shown = terminal.screen()
    finally:
        terminal.close()

    assert "1 file kept before `git checkout -- lib.rs`" in shown
    assert "2 files changed, 1 lost" in shown
    program("restore", "--lost")
    assert repository.read("lib.rs") == MINE.encode()
    assert repository.read("agent.txt") == b"agent\n"


def test_hooks_alone_serve_a_session_of_the_persons_own(
    model: ScriptedModel, repository: Repository, program: Program, tmp_path: Path
) -> None:
    """`hooks install claude` is enough: a session that unlost did not start is told what was kept and what is lost."""
    repository.write("lib.rs", MINE)
    program("mark")
    terminal = seated(model, repository, tmp_path)
    try:
        terminal.type("unlost hooks install claude >/dev/null; claude --permission-mode acceptEdits; echo rc=$?")
        let_it_wipe(terminal)
        leave(terminal)
        terminal.expect("\nrc=")
    finally:
        terminal.close()

    program("restore", "--lost")
    assert repository.read("lib.rs") == MINE.encode()
