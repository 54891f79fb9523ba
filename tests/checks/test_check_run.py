from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from kit.ground import bounds
from kit.misbehaviour import start_of

from unlost.checks.facts import CheckResult
from unlost.checks.run import run_check, stop_leftovers
from unlost.host.environment import passed_environment
from unlost.host.ids import new_id
from unlost.host.process import Request, start
from unlost.host.shim.facts import MARK
from unlost.plan.facts import Check

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        open({pid!r}, "w").write(str(os.getpid()))
        time.sleep(600)
    os._exit(0)
while not os.path.exists({pid!r}) or not open({pid!r}).read():
    time.sleep(0.01)
{end}
"""


def run(root: Path, *argv: str, **keys: Any) -> CheckResult:
    limit = keys.pop("output_limit", 65536)
    check = Check(name="a check", run=argv, **keys)
    return run_check(check, root=str(root), env=passed_environment(), mark=new_id("k"), output_limit=limit)


def test_exit_zero_passes(tmp_path: Path) -> None:
    """A check passes when its command ends by itself, in time, with exit code 0."""
    result = run(tmp_path, "sh", "-c", "pwd; echo complaint >&2")

    assert result.passed
    assert result.text == f"{tmp_path}\ncomplaint\n", "both streams are kept, in the order they were written"


def test_exit_code_and_signal_fail(tmp_path: Path) -> None:
    """Any other exit code, and death by a signal, is a failure that says which."""
    assert [run(tmp_path, "sh", "-c", code).exit_code for code in ("exit 3", "kill -9 $$")] == [3, -9]
    assert not run(tmp_path, "false").passed


def test_program_that_does_not_exist_fails_and_says_so(tmp_path: Path) -> None:
    """A missing program is a failed check with a reason, not an error of unlost."""
    result = run(tmp_path, "no-such-program-anywhere")

    assert (result.passed, result.started, result.exit_code) == (False, False, 127)
    assert result.text == "no-such-program-anywhere was not found in PATH"


def test_words_of_a_check_reach_no_shell(tmp_path: Path) -> None:
    """N.R3: argv is handed over as it is; nothing in it is read by a shell."""
    assert run(tmp_path, "printf", "%s", "$(touch x); `touch x` && * \n'").text == "$(touch x); `touch x` && * \n'"
    assert list(tmp_path.iterdir()) == []


def test_standard_input_is_empty(tmp_path: Path) -> None:
    """A check that asks gets the end of input, so it cannot wait for a person."""
    assert run(tmp_path, "cat").passed


def test_output_keeps_head_and_tail(tmp_path: Path) -> None:
    """N.R1: of a long output the first and the last part are kept, and the middle says how much is left out."""
    result = run(tmp_path, "sh", "-c", "echo first; yes | head -c 1000000; echo last", output_limit=1000)

    assert result.output.startswith(b"first\n")
    assert result.output.endswith(b"last\n")
    assert b"bytes dropped" in result.output
    assert len(result.output) < 1100


def test_hostile_output_is_cleaned_for_people(tmp_path: Path) -> None:
    """N.R3: escape sequences, bidi and bytes that are not UTF-8 do not reach a terminal or a prompt as they are."""
    result = run(tmp_path, "printf", r"\033[31mred\033[0m \342\200\256 \377 \000end")

    assert result.text == "red  � end"


def test_process_of_a_check_counts_as_below_an_attempt(tmp_path: Path) -> None:
    """What a check runs may not accept a loss or start a unit, no more than the agent that wrote it."""
    assert run(tmp_path, sys.executable, "-c", f"import os; assert os.environ[{MARK!r}].startswith('k-')").passed


def test_environment_is_the_one_that_was_handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """N.R4: a variable of unlost's own process does not leak into a check."""
    monkeypatch.setenv("SECRET_TOKEN", "x")

    assert run(tmp_path, "sh", "-c", 'test -z "$SECRET_TOKEN"').passed


def test_daemon_of_a_passed_check_is_stopped(tmp_path: Path) -> None:
    """What a check left running would write into the next task's tree; it is stopped before the check returns."""
    pid = tmp_path / "pid"
    result = run(tmp_path, sys.executable, "-c", DAEMON.format(pid=str(pid), end=""))

    assert result.passed
    assert start_of(pid.read_text()) is None


@pytest.mark.slow
def test_timeout_kills_the_whole_tree(tmp_path: Path) -> None:
    """A check past its timeout fails, and with it goes all it started, a daemon of another session too."""
    pid = tmp_path / "pid"
    script = DAEMON.format(pid=str(pid), end="time.sleep(600)")
    for timeout in bounds(1.0):
        result = run(tmp_path, sys.executable, "-c", script, timeout=timeout)

        assert (result.passed, result.timed_out) == (False, True)
        if pid.exists() and pid.read_text():
            break
    assert start_of(pid.read_text()) is None


def test_run_whose_supervisor_was_killed_is_cleared_by_its_mark(tmp_path: Path) -> None:
    """Decision 12: after a kill -9 of the supervisor, the processes of an intended check are found and stopped."""
    mark = new_id("k")
    running = start(Request(argv=("sleep", "600"), env={**passed_environment(), MARK: mark}))

    assert stop_leftovers(mark) == 1
    assert running.ended(120)
    running.stop()
    assert stop_leftovers(mark) == 0
