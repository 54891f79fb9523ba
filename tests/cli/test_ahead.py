"""Command lines for which git looks while the program is still being imported."""

from __future__ import annotations

import pytest
from kit.program import Program
from kit.repository import Repository

from unlost.cli.ahead import begin_ahead, folder_to_capture
from unlost.host.environment import current_environment


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("mark", "."),
        ("check --json", "."),
        ("-C inner mark -q", "inner"),
        ("--color never mark -m label -C there", "there"),
        ("mark --label=check -y", "."),
        ("check --since -1", "."),
    ],
)
def test_plain_lines_are_recognised(line: str, folder: str) -> None:
    """`mark` and `check` with their ordinary options name the folder they are about."""
    assert folder_to_capture(line.split()) == folder


@pytest.mark.parametrize(
    "line",
    [
        "",
        "status",
        "mark --help",
        "check --paranoid",
        "mark -C",
        "--workspace w-1 mark",
        "mark mark",
        "run -- mark",
        "-Cx mark",
    ],
)
def test_any_other_line_begins_nothing(line: str) -> None:
    """What is unusual in any way takes the ordinary way."""
    assert folder_to_capture(line.split()) is None


def test_no_error_comes_from_beginning(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders that are gone, no repositories, or never marked begin nothing, and the command itself tells why."""
    monkeypatch.chdir(repository.root)
    for folder in (".", "absent", "/", "main.rs"):
        assert begin_ahead(["-C", folder, "mark"], current_environment()) is None


def test_a_usage_error_after_a_beginning_leaves_everything_free(repository: Repository, program: Program) -> None:
    """A line that begins a capture and then fails to parse ends with 2, and the next mark is whole."""
    program("mark")

    program("mark", "--color", "purple", code=2)

    assert program("mark", "--json").json["files"] == 3


def test_a_mark_after_an_edit_holds_the_edit(repository: Repository, program: Program) -> None:
    """What was written before the command started is in its snapshot."""
    program("mark")
    for turn in range(5):
        repository.write("main.rs", f"turn {turn}\n")
        boundary = program("mark", "--json").json
        assert program("show", f"{boundary['snapshot']}:main.rs").out == f"turn {turn}\n"
