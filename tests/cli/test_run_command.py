from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

import pytest
from cli.conftest import Unlost
from kit.program import Program
from kit.repository import Repository

EDITED = "fn main() {\n    parse_all();\n}\n"


def test_an_ordinary_run_says_one_line(repository: Repository, program: Program) -> None:
    """Standard output is the command's own; one line on stderr, none with -q."""
    told = program("run", "--", "sh", "-c", "echo out; echo more >>lib.rs")
    quiet = program("run", "-q", "--", "true")

    assert told.out == "out\n"
    assert told.err == "unlost: 1 file changed, nothing lost · boundary 1\n"
    assert quiet.err == ""


def test_everything_behind_the_dashes_is_the_commands_own(program: Program) -> None:
    """Options and further dashes go to the command word for word."""
    assert program("run", "--", "echo", "--json", "-n", "--", "-q").out == "--json -n -- -q\n"


def test_a_loss_is_named_and_has_an_exit_code_of_its_own(repository: Repository, program: Program) -> None:
    """--loss-exit replaces 4; the report file holds the command's own code and the whole verdict."""
    repository.write("main.rs", EDITED)
    report = repository.root.parent / "report.json"

    told = program(
        "run", "--loss-exit", "99", "--report", str(report), "--", "git", "checkout", "--", "main.rs", code=99
    )
    document = json.loads(report.read_text())

    assert "lost      main.rs  reverted" in told.err
    assert document["schema"] == "unlost.run/1"
    assert document["command_exit"] == 0
    assert [lost["path"] for lost in document["check"]["lost"]] == ["main.rs"]


def test_an_open_loss_from_before_is_not_the_commands(repository: Repository, program: Program) -> None:
    """A command that loses nothing ends with its own code, whatever was lost before it ran."""
    repository.write("main.rs", EDITED)
    program("mark")
    repository.git("checkout", "--", "main.rs")

    told = program("run", "--", "true")

    assert "nothing lost" in told.err


def test_what_fell_at_a_boundary_inside_the_run_fell_in_the_run(repository: Repository, program: Program) -> None:
    """An agent's hooks take boundaries while it runs; the closing line and the exit code are about the whole run.

    A loss that one of them found, and that is still open at the end, is the run's; one that was put back is not.
    """
    repository.write("main.rs", EDITED)
    unlost = f"{sys.executable} -m unlost"

    lost = program("run", "--", "sh", "-c", f"git checkout -- main.rs; echo 1 >new; {unlost} mark -q; true", code=4)
    program("restore", "--lost")
    back = program("run", "--", "sh", "-c", f"rm new; {unlost} mark -q; {unlost} restore -q --lost; echo 2 >newer")

    assert "lost      main.rs  reverted" in lost.err
    assert lost.err.splitlines()[-1].startswith("unlost: 2 files changed, 1 lost")
    assert back.err == "unlost: 1 file changed, nothing lost · boundary 5\n"


def test_a_command_that_removes_the_work_tree(repository: Repository, program: Program) -> None:
    """When the whole tree is gone afterwards, that is a loss and it can be restored."""
    repository.write("main.rs", EDITED)

    told = program("run", "--", "rm", "-rf", str(repository.root), code=4)
    program("--workspace", str(repository.root), "restore", "--lost")

    assert "unlost restore --lost" in told.err
    assert repository.read("main.rs") == EDITED.encode()


def test_a_killed_command_ends_as_in_a_shell(program: Program) -> None:
    """128 and the signal's number."""
    program("run", "--", "sh", "-c", "kill -TERM $$", code=128 + signal.SIGTERM)


def test_minus_c_is_the_commands_folder(repository: Repository, program: Program, tmp_path: Path) -> None:
    """With -C the command starts there, as with git."""
    elsewhere = Program(folder=tmp_path)

    told = elsewhere("-C", str(repository.root / "docs"), "run", "--", "pwd")

    assert told.out == f"{repository.root / 'docs'}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("run",),
        ("run", "--"),
        ("run", "--json", "--", "true"),
        ("--json", "run", "--", "true"),
        ("run", "--autosave", "soon", "--", "true"),
        ("run", "plan.toml", "--", "true"),
        ("run", "--loss-exit", "256", "--", "true"),
        ("run", "--report", "no/such/folder/report.json", "--", "true"),
        ("run", "--report", "", "--", "true"),
        ("run", "--report", ".", "--", "true"),
    ],
)
def test_a_wrong_run_starts_nothing(unlost: Unlost, arguments: tuple[str, ...]) -> None:
    """Exit 2; no boundary was taken and the command did not run."""
    unlost(*arguments, code=2)

    assert unlost("log", "--json").json["boundaries"] == []


def test_a_report_whose_folder_the_command_removed(repository: Repository, program: Program) -> None:
    """A report that cannot be written any more is said, and the command's exit code stays."""
    (repository.root / "out").mkdir()
    told = program("run", "--report", "out/report.json", "--", "sh", "-c", "rm -r out; exit 3", code=3)

    assert "the report cannot be written" in told.err


def test_autosaves_can_be_turned_off(program: Program) -> None:
    """`--autosave off` runs without a watching thread; a number is seconds."""
    program("run", "--autosave", "off", "--", "true")
    program("run", "--autosave", "5", "--", "true")
