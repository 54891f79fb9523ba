"""A capture changes nothing of the user's and runs nothing that a repository names."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kit.captures import Captures
from kit.repository import Repository

HOOKS = (
    "pre-commit",
    "post-index-change",
    "reference-transaction",
    "post-checkout",
    "post-commit",
    "fsmonitor-watchman",
    "pre-auto-gc",
    "post-rewrite",
)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a trace when it runs."""
    program = tmp_path / "trap"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >>"{tmp_path}/sprung"\ncat\n')
    program.chmod(0o755)
    return program


def sprung(trap: Path) -> str:
    trace = trap.parent / "sprung"
    return trace.read_text() if trace.exists() else ""


def test_nothing_of_the_repository_changes(captures: Captures) -> None:
    """Every byte, type and time of the work tree and of `.git`, objects included, is the same after captures."""
    repository = captures.repository
    repository.write("main.rs", "changed\n")
    repository.write("untracked", "new\n")
    repository.write("staged", "staged\n")
    repository.git("add", "staged")
    (repository.root / "link").symlink_to("main.rs")
    before = repository.everything()

    captures.capture("boundary", "one")
    captures.capture("autosave")
    captures.capture("boundary", "two")

    assert repository.everything() == before


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "{trap}"),
        ("core.hooksPath", "{hooks}"),
        ("filter.x.clean", "{trap}"),
        ("filter.x.smudge", "{trap}"),
        ("filter.x.process", "{trap}"),
        ("diff.external", "{trap}"),
        ("diff.x.command", "{trap}"),
        ("diff.x.textconv", "{trap}"),
        ("core.sshCommand", "{trap}"),
        ("core.pager", "{trap}"),
        ("core.editor", "{trap}"),
        ("core.alternateRefsCommand", "{trap}"),
        ("gpg.program", "{trap}"),
        ("uploadpack.packObjectsHook", "{trap}"),
        ("core.worktree", "/usr"),
        ("include.path", "{trap}"),
        ("status.showUntrackedFiles", "no"),
        ("core.trustctime", "false"),
        ("core.ignoreCase", "true"),
        ("core.excludesFile", "/dev/null"),
    ],
)
def test_hostile_setting_is_without_effect(captures: Captures, trap: Path, key: str, value: str) -> None:
    """No setting of a repository makes a capture run a program, look elsewhere, or miss a file."""
    repository = captures.repository
    hooks = repository.root / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).write_bytes(trap.read_bytes())
        (hooks / name).chmod(0o755)
    repository.write(".gitattributes", "* filter=x diff=x text\n")
    captures.capture()
    repository.git("config", key, value.format(trap=trap, hooks=hooks))
    repository.write("main.rs", "changed\r\n")
    repository.write("new", "new\n")
    before = repository.outside_objects()

    again = captures.capture()
    fresh = Captures.of(repository, home="another").capture()

    assert sprung(trap) == ""
    assert repository.outside_objects() == before
    assert again.tree == fresh.tree
    assert not again.incomplete
    found = captures.files(again.tree)
    assert {b"main.rs", b"new", b".gitattributes"} <= found.keys()


def test_environment_of_the_caller_is_without_effect(captures: Captures, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables that mislead git (another git dir, index, configuration, a trace file) reach no child."""
    expected = captures.capture().tree
    trace = captures.home / "trace"
    for name, value in (
        ("GIT_DIR", "/nowhere"),
        ("GIT_INDEX_FILE", "/nowhere/index"),
        ("GIT_WORK_TREE", "/usr"),
        ("GIT_OBJECT_DIRECTORY", "/nowhere/objects"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.bare"),
        ("GIT_CONFIG_VALUE_0", "true"),
        ("GIT_TRACE", str(trace)),
        ("GIT_NAMESPACE", "other"),
    ):
        monkeypatch.setenv(name, value)

    assert captures.capture().tree == expected
    assert Captures.of(captures.repository, home="another").capture().tree == expected
    assert not trace.exists()


@pytest.mark.parametrize("name", ["odd é % \" ' name", "new\nline", "-dash", "#hash;"])
def test_odd_root_name(tmp_path: Path, name: str) -> None:
    """A work tree may lie below a folder of any name."""
    repository = Repository.create(tmp_path / name / "tree")
    repository.write("a", "a\n")
    repository.commit("first")

    captures = Captures.of(repository)
    captures.prove(captures.capture())


def test_root_name_that_is_not_utf8(tmp_path: Path) -> None:
    """A work tree may lie below a folder whose name is not UTF-8."""
    folder = os.fsencode(tmp_path) + b"/\xff\xfe"
    os.mkdir(folder)
    repository = Repository.create(Path(os.fsdecode(folder)) / "tree")
    repository.write("a", "a\n")
    repository.commit("first")

    captures = Captures.of(repository)
    captures.prove(captures.capture())


def test_folder_swapped_for_a_link_is_not_followed(captures: Captures, tmp_path: Path) -> None:
    """A folder that became a link to the outside is stored as a link; nothing behind it is read."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "notes.md").write_text("secret")
    captures.capture()
    (captures.repository.root / "docs").rename(captures.repository.root / "moved")
    (captures.repository.root / "docs").symlink_to(outside)

    snapshot = captures.capture()

    captures.prove(snapshot)
    assert b"secret" not in captures.contents(snapshot).values()


def test_users_git_keeps_working_beside_captures(captures: Captures) -> None:
    """The person's own status, add, commit and gc never meet a lock of ours, nor one of our refs."""
    repository = captures.repository
    captures.capture("boundary", "one")
    repository.write("main.rs", "changed\n")
    repository.git("add", "-A")
    repository.git("commit", "-q", "-m", "second")
    repository.git("gc", "-q", "--prune=now")
    captures.capture("boundary", "two")

    assert repository.git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]
    assert len(repository.git("log", "--all", "--format=%H").split()) == 2
    mirror = Repository.create(repository.root.parent / "mirror", "--bare")
    repository.git("push", "-q", "--mirror", str(mirror.root))
    assert mirror.git("for-each-ref", "--format=%(refname)").split() == ["refs/heads/main"]
    assert repository.git("fsck", "--strict") == ""


def count_of(captures: Captures, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> int:
    """How many processes `act` starts."""
    started: list[str] = []
    spawn = os.posix_spawn

    def counted(path: str, *arguments: Any, **options: Any) -> int:
        started.append(path)
        return spawn(path, *arguments, **options)

    monkeypatch.setattr(os, "posix_spawn", counted)
    act()
    return len(started)


def test_processes_of_a_capture(captures: Captures, monkeypatch: pytest.MonkeyPatch) -> None:
    """An unchanged tree costs one git process, and so does a changed one; nothing else is started."""
    captures.capture()
    captures.capture()
    with monkeypatch.context() as patched:
        assert count_of(captures, patched, captures.capture) == 1
    captures.repository.write("main.rs", "changed\n")
    captures.repository.write("new", "new\n")
    with monkeypatch.context() as patched:
        assert count_of(captures, patched, captures.capture) == 1
    with monkeypatch.context() as patched:
        assert count_of(captures, patched, lambda: captures.capture("boundary", "label")) == 1


def test_store_is_private_to_the_user(captures: Captures) -> None:
    """Nobody else may read what was captured: folders are 0700, files have no rights for others."""
    captures.repository.write("secret", "s\n")
    captures.capture()
    subprocess.run(["chmod", "755", str(captures.home)], check=True)

    for folder in (captures.home / "stores" / "s", captures.home / "workspaces" / "w-1"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
