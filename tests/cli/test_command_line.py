from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from cli.conftest import Unlost
from kit.program import Program
from kit.repository import Repository

from unlost.cli.app import COMMANDS, SECTIONS
from unlost.facts.version import VERSION


def test_the_version(program: Program) -> None:
    """`--version` prints one line."""
    assert program("--version").out == f"unlost {VERSION}\n"


def test_help_names_every_command_and_exit_code(unlost: Unlost) -> None:
    """`--help` shows the commands by section, the exit codes and an example, on stdout."""
    shown = unlost("--help").out

    for commands in SECTIONS.values():
        for name in commands:
            assert f"\n  {name} " in shown
    assert "4 work lost" in shown
    assert "unlost run -- your-agent" in shown


def test_both_tables_name_the_same_commands() -> None:
    """What help tells of each command is told of every command, once."""
    told = [name for commands in SECTIONS.values() for name in commands]

    assert sorted([*told, "run --"]) == sorted(COMMANDS)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--json", "completion", "bash"),
        ("completion", "--json", "bash"),
        ("completion", "bash", "--json"),
    ],
)
def test_global_options_stand_before_or_after_the_command(unlost: Unlost, arguments: tuple[str, ...]) -> None:
    """`--json` means the same wherever it stands."""
    assert unlost(*arguments).json["schema"] == "unlost.completion/1"


def test_the_later_of_two_global_options_wins(program: Program, tmp_path: Path) -> None:
    """`-C` after the command's name wins over one before it."""
    program("-C", "/", "plan", "-C", str(tmp_path), "new", "mine.toml")

    assert (tmp_path / "mine.toml").is_file()


def test_a_dry_run_is_never_ignored(repository: Repository, unlost: Unlost) -> None:
    """A command that has no dry run refuses -n instead of doing the real thing."""
    refused = unlost("-n", "plan", "new", code=2)

    assert "no dry run" in refused.err
    assert not (repository.root / "plan.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("chekc",), "did you mean `unlost check`?"),
        (("checkpoint",), "did you mean `unlost mark`?"),
        (("plan", "chekc", "x"), "did you mean `unlost plan check`?"),
        (("check", "--jsn"), "did you mean --json?"),
        (("plan", "new", "a", "b"), "`unlost plan new --help` shows how it is used"),
        (("plan",), "`unlost plan --help` shows how it is used"),
    ],
)
def test_a_wrong_command_line_is_exit_2_with_a_hint(unlost: Unlost, arguments: tuple[str, ...], hint: str) -> None:
    """Nothing on stdout, the fault and what to type on stderr."""
    refused = unlost(*arguments, code=2)

    assert refused.out == ""
    assert refused.err.startswith("error: ")
    assert f"hint: {hint}" in refused.err


def test_with_json_a_failure_is_one_object_too(unlost: Unlost) -> None:
    """A script that asked for JSON gets one object also when the command fails."""
    refused = unlost("--json", "chekc", code=2)

    assert refused.json["schema"] == "unlost.error/1"
    assert refused.json["exit"] == 2
    assert "unlost check" in refused.json["hint"]


@pytest.mark.parametrize(("shell", "line"), [("bash", "complete -o"), ("zsh", "#compdef"), ("fish", "complete ")])
def test_completion_scripts(unlost: Unlost, shell: str, line: str) -> None:
    """Each shell gets a script that asks unlost itself."""
    script = unlost("completion", shell).out

    assert line in script
    assert "_UNLOST_COMPLETE" in script


def test_completion_knows_commands_and_files(program: Program) -> None:
    """A shell that asks gets commands with their help, without opening any."""
    asking = program.with_variables(_UNLOST_COMPLETE="fish_complete", COMP_WORDS="unlost re", COMP_CWORD="re")

    assert [line.split("\t")[0].split(",")[-1] for line in asking().out.splitlines() if "," in line][:1] == ["restore"]


def test_plan_new_and_check(repository: Repository, unlost: Unlost) -> None:
    """A new plan parses as it is; a broken one is exit 2 with every problem and its line."""
    unlost("plan", "new")
    plan = repository.root / "plan.toml"
    good = unlost("plan", "check", "plan.toml", "--json").json
    plan.write_text("surprise = 1\n" + plan.read_text())
    bad = unlost("plan", "check", "plan.toml", "--json", code=2)

    assert good["schema"] == "unlost.plan/1"
    assert len(good["digest"]) == 64
    assert good["problems"] == []
    assert bad.json["problems"][0]["line"] == 1
    assert "line 1: " in bad.err


def test_plan_new_to_stdout_writes_nothing(repository: Repository, unlost: Unlost) -> None:
    """`plan new -` prints the plan; no file is made."""
    before = sorted(repository.root.iterdir())

    shown = unlost("plan", "new", "-").out

    assert "[[task]]" in shown
    assert sorted(repository.root.iterdir()) == before


def raising(error: BaseException) -> Callable[..., NoReturn]:
    """A stand-in that raises this."""

    def stand_in(*_arguments: object, **_options: object) -> NoReturn:
        raise error

    return stand_in


def test_a_bug_ends_with_70_and_a_report(unlost: Unlost, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that nobody declared: a report to paste on stderr, one object on stdout with --json."""
    monkeypatch.setattr("unlost.app.open_workspace.OpenWorkspace.open", raising(RuntimeError("/secret/place broke")))

    told = unlost("check", "--json", code=70)

    assert told.json["exit"] == 70
    assert "RuntimeError: … broke" in told.err
    assert "command: unlost -C … check --json" in told.err
    assert "secret" not in told.err


def test_ctrl_c_ends_with_130(unlost: Unlost, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person who interrupts is told that what was finished stays."""
    monkeypatch.setattr("unlost.app.open_workspace.OpenWorkspace.open", raising(KeyboardInterrupt()))

    assert "interrupted; what was finished before stays" in unlost("check", code=130).err


@pytest.mark.parametrize("streams", [">&-", ">&- 2>&- <&-"])
def test_closed_streams_leave_the_verdict_as_it_is(repository: Repository, program: Program, streams: str) -> None:
    """`unlost check >&-` still ends with 4, and no file of ours gets the number of a stream."""
    repository.write("main.rs", "edited")
    program("mark")
    repository.git("checkout", "--", "main.rs")

    line = f"{shlex.join(program.command('check'))} {streams}"
    done = subprocess.run(["sh", "-c", line], cwd=program.folder, capture_output=True, check=False)

    assert done.returncode == 4
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a file that is always full")
@pytest.mark.parametrize(
    ("arguments", "streams", "code"),
    [(("log", "--json"), ">/dev/full", 1), (("log",), ">/dev/full", 1), (("check", "--since", "x"), "2>/dev/full", 2)],
)
def test_a_full_disk_below_a_stream(program: Program, arguments: tuple[str, ...], streams: str, code: int) -> None:
    """An answer that cannot be written is exit 1, talk that cannot be written changes nothing; never a traceback."""
    program("mark")

    line = f"{shlex.join(program.command(*arguments))} {streams}"
    done = subprocess.run(["sh", "-c", line], cwd=program.folder, capture_output=True, check=False)

    assert done.returncode == code
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--workspace", "", "check"),
        ("forget", "", "-y"),
        ("restore", "main.rs", "--to", ""),
        ("find", "--to", ""),
    ],
)
def test_an_empty_name_is_not_what_stands_here(unlost: Unlost, arguments: tuple[str, ...]) -> None:
    """A shell variable that is not set never means the workspace or the tree one stands in."""
    unlost("mark")

    unlost(*arguments, code=2)

    assert len(unlost("log", "--json").json["boundaries"]) == 1


def test_a_vanished_reader_leaves_the_verdict_as_it_is(repository: Repository, program: Program) -> None:
    """`unlost check | true` still ends with 4."""
    repository.write("main.rs", "edited")
    program("mark")
    repository.git("checkout", "--", "main.rs")
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        program.command("check"), cwd=program.folder, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)

    assert done.returncode == 4
    assert b"Traceback" not in done.stderr
