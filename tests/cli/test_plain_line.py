"""Plain lines, which do without click; for `mark` and `check` git looks while they are imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit.program import Program
from kit.repository import Repository

from unlost.__main__ import main
from unlost.app.head_start import begin_capture
from unlost.cli.plain_line import PlainLine, read_plain_line
from unlost.host.environment import current_environment


@pytest.mark.parametrize(
    ("line", "command", "options", "own"),
    [
        ("mark", "mark", {}, {}),
        ("check --json", "check", {"json": True}, {}),
        ("-C inner mark -q", "mark", {"folder": "inner", "quiet": True}, {}),
        ("--color never mark -m mark -C there", "mark", {"color": "never", "folder": "there"}, {"label": "mark"}),
        ("mark --label check -y", "mark", {"assume_yes": True}, {"label": "check"}),
        ("check --since -1", "check", {}, {"since": "-1"}),
        ("workspace save", "workspace save", {}, {}),
        ("workspace save --private", "workspace save", {}, {"private": True}),
        ("workspace restore w-1 --to box", "workspace restore", {}, {"name": "w-1", "to": "box"}),
        (
            "workspace restore --to restore --abandon workspace -q --place save",
            "workspace restore",
            {"quiet": True},
            {"name": "workspace", "to": "restore", "abandon": True, "place": "save"},
        ),
        (
            "-C there workspace save --json --place box",
            "workspace save",
            {"folder": "there", "json": True},
            {"place": "box"},
        ),
    ],
)
def test_plain_lines_are_recognised(
    line: str, command: str, options: dict[str, object], own: dict[str, object]
) -> None:
    """Commands with their ordinary options say what click would make of them."""
    assert read_plain_line(line.split()) == PlainLine(command, options, own)


@pytest.mark.parametrize(
    "line",
    [
        *("", "status", "mark --help", "check --paranoid", "mark -C", "mark mark", "run -- mark", "mark -n"),
        *(
            "--workspace w-1 mark",
            "mark --color purple",
            "-m label mark",
            "mark --label=x",
            "check -m label",
            "-C mark",
            "workspace",
            "save",
            "save workspace",
            "workspace list",
            "workspace restore save",
            "workspace restore --to box",
            "workspace restore w-1 w-2 --to box",
            "workspace restore w-1 --to",
            "workspace restore w-1 --to box --through x",
            "workspace restore w-1 --to=box",
            "workspace -q save",
            "workspace save save",
            "workspace --place save",
            "workspace --place box save",
        ),
    ],
)
def test_any_other_line_is_left_to_click(line: str) -> None:
    """What is unusual in any way takes the ordinary way."""
    assert read_plain_line(line.split()) is None


def test_no_error_comes_from_beginning(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders that are gone, no repositories, or never marked begin nothing, and the command itself tells why."""
    monkeypatch.chdir(repository.root)
    for folder in (".", "absent", "/", "main.rs"):
        assert begin_capture(folder, current_environment()) is None


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


def test_a_mark_tells_what_it_wrote(repository: Repository, program: Program) -> None:
    """`bytes` is what this capture put into the store: the new content and a little more, nothing without a change."""
    program("mark")
    repository.write("noise.bin", os.urandom(100_000))

    written = program("mark", "--json").json["bytes"]

    assert 100_000 < written < 110_000
    assert program("mark", "--json").json["bytes"] == 0


def test_a_mark_that_leaves_the_ledger_to_its_end_is_on_record(repository: Repository, program: Program) -> None:
    """What a mark recorded is read by the next command, whose close folds SQLite's log into the file."""
    for _ in range(3):
        program("mark")

    assert [row["n"] for row in program("log", "--json").json["boundaries"]] == [0, 1, 2]
    home = Path(os.environ["UNLOST_HOME"])
    assert (home / "ledger.db").stat().st_size > 0
    assert not (home / "ledger.db-wal").exists()


@pytest.mark.parametrize("line", ["mark", "check --json", "mark -m label", "workspace save"])
def test_plain_lines_import_no_more_than_they_need(repository: Repository, line: str) -> None:
    """H.29: neither click nor what only a loss, a restore or a settings file needs is imported by a quiet line."""
    main(["-C", str(repository.root), "mark"])
    asked = f"""
import sys
from unlost.__main__ import main
assert main({["-C", str(repository.root), *line.split()]!r}) == 0
print(*sorted(sys.modules), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)

    imported = set(done.stderr.split())
    assert not imported & {
        *("click", "rich", "pydantic", "tomllib", "subprocess", "asyncio", "unlost.cli.app", "unlost.app.plain"),
        *("unlost.plain.restore", "unlost.snapshot.restore", "unlost.app.supervised", "unlost.host.toml"),
    }
