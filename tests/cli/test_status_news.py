"""`status`: what happened since this person last looked, and the line for a prompt."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

from unlost.app.status_line import LONGEST, line_at, note_boundary, note_units

pytestmark = pytest.mark.slow
"""Each is a journey through several commands, seconds each."""


def line(program: Program) -> str:
    """The line, without its end."""
    return program("status", "--line").out.rstrip("\n")


def test_status_begins_with_what_happened(repository: Repository, program: Program, tmp_path: Path) -> None:
    """The first look tells no news; the next one begins with what was done since, and a third has nothing more to tell.

    Only the view for people counts as a look: --json and --line leave the news where they are.
    """
    repository.write("lib.rs", "mine\n")
    program("mark")
    first = program("status").out
    work = PlannedWork.write(tmp_path / "plan", {"one": "    echo 1 >>one", "two": "    exit 1"}, keys="")
    program("run", str(work.plan), code=1)
    program("status", "--json")
    program("status", "--line")

    second = program("status").out
    third = program().out

    assert "since you last looked" not in first
    assert second.startswith("since you last looked")
    assert "finished: one" in second.splitlines()[1]
    assert "failed: two" in second.splitlines()[1]
    assert "since you last looked" not in third


def test_each_person_has_a_mark_of_their_own(repository: Repository, program: Program) -> None:
    """The mark is named for the user, so that two who share a state home do not take each other's news away."""
    program("mark")
    program("status")
    state = Path(os.environ["UNLOST_HOME"])

    assert [path.name for path in state.glob("workspaces/*/looked*")] == [f"looked-{os.getuid()}.json"]


def test_status_is_no_clean_end_while_work_is_lost(repository: Repository, program: Program, tmp_path: Path) -> None:
    """Exit 4 of `status`, of `status UNIT` and of `show UNIT` while a loss is open; the line is always exit 0."""
    work = PlannedWork.write(tmp_path / "plan", {"one": "    echo 1 >>lib.rs", "two": "    git checkout -q -- lib.rs"})
    unit = program("run", str(work.plan), "--json", code=4).json["unit"]

    for words in (("status",), ("status", "--json"), ("status", unit), ("show", unit), ()):
        program(*words, code=4)
    assert "1 loss" in line(program)
    assert f"{unit} blocked" in line(program)

    program("restore", "--lost")
    assert "loss" not in line(program)
    program("status")


def test_the_line_follows_marks_and_units(repository: Repository, program: Program, tmp_path: Path) -> None:
    """A mark, a unit that ends and one that parks are in the line at once, without a look at the status."""
    assert line(program) == "no boundary"
    repository.write("lib.rs", "mine\n")
    program("mark")
    assert line(program) == "boundary 0"
    ask = """    printf '{"outcome": "blocked", "reason": "Well?"}' >"$UNLOST_OUTBOX/report.json" """
    work = PlannedWork.write(tmp_path / "plan", {"ask": ask})
    unit = program("run", str(work.plan), "--json", code=3).json["unit"]
    assert line(program).endswith(f"{unit} parked")

    program("answer", unit, "Well.")
    assert line(program).endswith(f"{unit} coding")
    program("stop", unit)
    assert unit not in line(program)


def test_the_line_is_silent_where_there_is_nothing(program: Program, tmp_path: Path) -> None:
    """Outside of a work tree a prompt gets an empty answer, never an error; with --json the answer is the status."""
    outside = Program(folder=tmp_path)

    assert outside("status", "--line").out == ""
    assert program("status", "--line", "--json").json["schema"] == "unlost.status/1"


def test_the_line_is_short(repository: Repository, program: Program) -> None:
    """At most 60 characters, whatever there is to tell."""
    program("mark")
    folder = next(Path(os.environ["UNLOST_HOME"]).glob("workspaces/w-*"))

    note_boundary(str(folder), 123456, 7890)
    note_units(str(folder), [("u-0123456789ab", "publishing"), ("u-ba9876543210", "blocked")])
    told = line_at(str(repository.root), os.environ)

    assert len(told) == LONGEST
    assert told.startswith("boundary 123456 · 7890 losses · u-0123456789ab publishing")


@pytest.mark.parametrize("broken", [b"", b"\xff\xfe", b"\n\n\n"])
def test_a_broken_picture_harms_nothing(repository: Repository, program: Program, broken: bytes) -> None:
    """A file of the line that is empty or no text is drawn anew by the next mark."""
    program("mark")
    file = next(Path(os.environ["UNLOST_HOME"]).glob("workspaces/w-*/line"))
    file.write_bytes(broken)

    program("status", "--line")
    repository.write("lib.rs", "more\n")
    program("mark")

    assert line(program) == "boundary 1"
