"""Bad input and bad ground: a clear error each, nothing started, nothing lost."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

TASK = {"only": "    echo x >>lib.rs"}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ('surprise = "key"\n', "surprise"),
        ('[scope]\npaths = ["../outside"]\n', "scope.paths"),
        ('[budget]\ndeadline = "soon"\n', "deadline"),
        ("[budget]\nattempts = 0\n", "attempts"),
    ],
)
def test_a_bad_plan_starts_nothing(
    change: str, named: str, repository: Repository, program: Program, tmp_path: Path
) -> None:
    """An unknown key, a leaving path, a bad value or a key of a later part: exit 2, named, nothing started."""
    work = PlannedWork.write(tmp_path / "plan", TASK, head=change)

    refused = program("run", str(work.plan), code=2)

    assert named in refused.err
    assert work.attempts() == []
    assert program("status", "--json").json["units"] == []


@pytest.mark.parametrize("where", ["root", "home", "bare", "none"])
def test_roots_that_are_refused(where: str, program: Program, tmp_path: Path) -> None:
    """`/`, the home folder, a bare repository and a folder without one are refused with exit 2 and a hint."""
    folder = {"root": Path("/"), "home": Path(os.environ["HOME"]), "bare": tmp_path / "bare", "none": tmp_path}[where]
    if where == "bare":
        Repository.create(folder, "--bare")
    if where == "home":
        Repository.create(folder)

    refused = program("-C", str(folder), "mark", code=2)

    assert "hint:" in refused.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_state_home_without_write_access(program: Program, tmp_path: Path) -> None:
    """A state home that cannot be written is an error that names it."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)

    program.with_variables(UNLOST_HOME=str(closed / "state"))("mark", code=1)


def test_a_state_home_that_is_a_file(program: Program, tmp_path: Path) -> None:
    """A state home that is no folder is an error that says so; the repository is untouched."""
    (tmp_path / "file").write_text("")

    refused = program.with_variables(UNLOST_HOME=str(tmp_path / "file"))("mark", code=None)

    assert refused.code in (1, 2)
    assert "hint:" in refused.err


def test_run_inside_an_attempt_is_refused(program: Program, tmp_path: Path) -> None:
    """`run` with a plan inside an attempt is exit 2; `run -- CMD` works there."""
    work = PlannedWork.write(tmp_path / "plan", TASK)
    inside = program.with_variables(UNLOST_ATTEMPT="a-1")

    inside("run", str(work.plan), code=2)
    inside("run", "--", "true")


def test_a_damaged_stream_is_named_and_restore_still_works(repository: Repository, program: Program) -> None:
    """A corrupted ledger row stops its stream by name; the snapshots of the workspace can still be restored."""
    repository.write("main.rs", "fn main() { kept(); }\n")
    snapshot = program("mark", "--json").json["snapshot"]
    workspace = program("mark", "--json").json["workspace"]
    repository.git("checkout", "--", "main.rs")
    with sqlite3.connect(Path(os.environ["UNLOST_HOME"]) / "ledger.db") as ledger:
        ledger.execute("UPDATE events SET facts = '{}' WHERE sequence = 1")
    ledger.close()

    named = program("check", code=None)
    program("restore", "main.rs", "--from", snapshot)

    assert named.code not in (0, 4)
    assert workspace in named.err
    assert repository.read("main.rs") == b"fn main() { kept(); }\n"


def test_unknown_words_get_a_hint(program: Program) -> None:
    """Other tools' words are answered with ours."""
    assert "unlost mark" in program("checkpoint", code=2).err
    assert "unlost restore" in program("recover-file", code=2).err or program("rollback", code=2).err
