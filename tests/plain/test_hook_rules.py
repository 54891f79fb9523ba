"""What a hook makes of a command: the paths it would discard, and whether it may run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unlost.plain.hook_call import Call, discards_of, folders_of, read_call
from unlost.plain.hook_judge import Danger, Ruling, Work, danger_of, named, reaches, rule
from unlost.settings import DiscardMode

ROOT = "/home/me/project"
OURS = Work(path=b"src/cli.py", tracked=True)
THEIRS = Work(path=b"src/parser.py", tracked=True, owner="rename")
NOTE = Work(path=b"notes.md", tracked=False, owner="person")
SECRET = Work(path=b".env", tracked=False, ignored=True, owner="person")
HUGE = Work(path=b"model.bin", tracked=False, captured=False)
EVERYTHING = (OURS, THEIRS, NOTE, SECRET, HUGE)


def danger(command: str, folder: str = ROOT) -> Danger:
    call = Call(moment="PreToolUse", folder=folder, command=command)
    return danger_of(discards_of(call), folders_of(call), root=ROOT, work=EVERYTHING)


def told(event: str, **given: object) -> bytes:
    return json.dumps({"hook_event_name": event, "cwd": ROOT, **given}).encode()


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("git checkout -- src/cli.py", ["src/cli.py"]),
        ("git checkout -- .", ["src/cli.py", "src/parser.py", "notes.md", "model.bin"]),
        ("git restore 'src/*.py'", ["src/cli.py", "src/parser.py"]),
        ("git restore :/", ["src/cli.py", "src/parser.py", "notes.md", "model.bin"]),
        ("git reset --hard", ["src/cli.py", "src/parser.py", "notes.md", "model.bin"]),
        ("git clean -fdx", ["notes.md", ".env", "model.bin"]),
        ("git clean -fd src", []),
        ("rm -rf src", ["src/cli.py", "src/parser.py"]),
        ("rm -rf ../project", ["src/cli.py", "src/parser.py", "notes.md", ".env", "model.bin"]),
        ("cd src && git checkout -- cli.py", ["src/cli.py"]),
        ("git -C src checkout -- cli.py", ["src/cli.py"]),
        ("rm -rf node_modules ../other /tmp/x", []),
        ('rm -rf "$TMPDIR/x"', []),
    ],
)
def test_what_a_command_would_discard(command: str, paths: list[str]) -> None:
    """Named paths below the root in every folder the command may run in; a reset takes all, a clean the untracked."""
    assert sorted(work.path.decode() for work in danger(command).work) == sorted(paths)


@pytest.mark.parametrize(
    ("command", "mode", "ruling"),
    [
        ("git checkout -- src/cli.py", "refuse", "save"),
        ("git checkout -- src/parser.py", "refuse", "refuse"),
        ("git checkout -- src/parser.py", "ask", "ask"),
        ("git checkout -- src/parser.py", "save", "save"),
        ("rm -f -r model.bin", "refuse", "refuse"),
        ("git stash drop", "refuse", "refuse"),
        ("git push --force", "save", "save"),
        ("rm -rf build", "refuse", "pass"),
        ("rm -rf .git", "refuse", "refuse"),
        ("rm -rf .github", "refuse", "pass"),
    ],
)
def test_only_what_others_count_on_is_stopped(command: str, mode: DiscardMode, ruling: Ruling) -> None:
    """An agent's own captured work may go; another's claim, or what is nowhere else, may not; `save` stops nothing."""
    assert rule(mode, danger(command)) == ruling


def test_a_command_elsewhere_touches_nothing() -> None:
    """A command that names only paths outside the root is let through before anything is captured."""
    for command, expected in (("rm -rf /tmp/x", False), ("rm -rf src", True), ("git reset --hard", True)):
        call = Call(moment="PreToolUse", folder=ROOT, command=command)
        assert reaches(discards_of(call), folders_of(call), root=ROOT) is expected


def test_owners_are_named() -> None:
    """The refusal says whose work it is."""
    assert named((THEIRS, NOTE, HUGE)) == (
        "src/parser.py (task rename), notes.md (a person's), model.bin (nowhere else)"
    )


@pytest.mark.parametrize("data", [b"", b"{", b"[]", told("PostToolUse"), b"[" * 100_000])
def test_what_is_no_call_of_ours_is_none(data: bytes) -> None:
    """Garbage, and moments that we did not ask for, are no calls."""
    assert read_call(data) is None


def test_both_spellings_of_a_command_are_read() -> None:
    """A command is a text or a list of words, under one of two keys, whatever else is there."""
    assert read_call(told("PreToolUse", tool_input={"command": "ls"})) == Call(
        moment="PreToolUse", folder=ROOT, command="ls"
    )
    listed = read_call(told("PreToolUse", tool_input={"cmd": ["bash", "-lc", "ls"]}))
    assert listed is not None
    assert listed.command == "bash -lc ls"
    assert read_call(told("PreToolUse", tool_input=7)) == Call(moment="PreToolUse", folder=ROOT)


def test_a_link_to_the_root_is_the_root(tmp_path: Path) -> None:
    """A session in a linked folder works on the folder itself."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    call = Call(moment="PreToolUse", folder=str(tmp_path / "link"), command="cd sub")
    assert folders_of(call) == (str(tmp_path / "real"), str(tmp_path / "real" / "sub"))
