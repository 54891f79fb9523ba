"""Nights: runs that need no terminal, end with none, and go on after whatever happened."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from pathlib import Path

import pytest
from kit.nights import (
    held_until,
    lines_of,
    log_of,
    longer_than_looking,
    supervisor_of,
    unit_of,
    until,
    until_left,
    until_phase,
)
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository
from kit.terminal import Terminal, needs_tmux
from kit.vendor_programs import EDIT, claude_init, claude_result, install

pytestmark = pytest.mark.slow

linux_only = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds processes through /proc")


def held(folder: Path, name: str = "plan") -> tuple[PlannedWork, Path]:
    """Two tasks, the second of which waits for a file."""
    go = folder / f"{name}.go"
    tasks = {"first": "    echo 1 >>first.txt", "second": f"{held_until(go)}\n    echo 2 >>second.txt"}
    return PlannedWork.write(folder / name, tasks), go


def detached(program: Program, work: PlannedWork) -> str:
    """The id of a unit that was started in the background."""
    return str(program("run", str(work.plan), "--detach", "--json").json["unit"])


def test_a_detached_run_returns_at_once_and_is_followed(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """`run --detach` prints the unit's id and how to follow it; `watch` follows it to its own exit code."""
    work, go = held(tmp_path)

    told = program("run", str(work.plan), "--detach").out
    unit = told.split()[0]
    go.touch()
    watched = program("watch", unit)

    assert f"unlost watch {unit}" in told
    assert "second" in watched.err
    assert unit_of(program, unit)["outcome"] == "done"
    assert work.attempts() == ["first", "second"]
    assert "first" in program("watch", unit, "--log").err
    assert repository.read("second.txt") == b"2\n"


def test_a_second_supervisor_is_refused(repository: Repository, program: Program, tmp_path: Path) -> None:
    """While a unit is driven in the background, another run and another resume are exit 75 and name it."""
    work, go = held(tmp_path)
    unit = detached(program, work)

    for words in (("run", str(work.plan), "--detach"), ("run", str(work.plan)), ("resume",), ("resume", "--detach")):
        assert unit in program(*words, code=75).err
    going = lines_of(program("resume", "--all", "--json").out)
    go.touch()
    until_left(program, unit, "done")

    assert [(told["unit"], told["fate"]) for told in going] == [(unit, "driven")]
    assert work.attempts() == ["first", "second"]


@needs_tmux
def test_a_detached_run_survives_its_terminal(repository: Repository, program: Program, tmp_path: Path) -> None:
    """The terminal that a run was detached in goes away, with everything in it; the unit goes on."""
    work, go = held(tmp_path)
    terminal = Terminal(tmp_path, width=200)
    try:
        command = f"{sys.executable} -m unlost -C {repository.root} run {work.plan} --detach"
        terminal.type(command)
        terminal.expect("in the background")
    finally:
        terminal.close()
    unit = program("status", "--json").json["units"][-1]["unit"]
    until(Path(f"{go}.began").exists, "the second task began")

    go.touch()
    until_left(program, unit, "done")

    assert work.attempts() == ["first", "second"]


@needs_tmux
def test_a_hang_up_of_a_run_in_the_foreground_means_detach(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """A run whose terminal goes away goes on in the background; what it says from then on is in the log."""
    work, go = held(tmp_path)
    terminal = Terminal(tmp_path, width=200)
    try:
        terminal.type(f"{sys.executable} -m unlost -C {repository.root} run {work.plan}")
        until(Path(f"{go}.began").exists, "the second task began")
    finally:
        terminal.close()
    unit = program("status", "--json").json["units"][-1]
    assert program("run", str(work.plan), code=75).code == 75

    go.touch()
    until_phase(program, unit["unit"], "done")

    assert work.attempts() == ["first", "second"]
    until(lambda: "second" in log_of(unit), "the log tells the end")


def test_a_hang_up_is_no_end_for_whoever_gets_it(repository: Repository, program: Program, tmp_path: Path) -> None:
    """SIGHUP to the process itself, several times: it ends as it would have, and its words are in the log."""
    work, go = held(tmp_path)
    running = program.start("run", str(work.plan))
    until(Path(f"{go}.began").exists, "the second task began")
    unit = program("status", "--json").json["units"][-1]

    running.send_signal(signal.SIGHUP)
    running.send_signal(signal.SIGHUP)
    go.touch()
    running.communicate(timeout=240)

    assert running.returncode == 0
    assert "done      second" in log_of(unit)
    assert work.attempts() == ["first", "second"]


def test_stop_reaches_a_detached_unit(repository: Repository, program: Program, tmp_path: Path) -> None:
    """`stop` from another process ends a unit in the background: its agent is gone, its work is kept."""
    work, go = held(tmp_path)
    unit = detached(program, work)
    until(Path(f"{go}.began").exists, "the second task began")

    stopped = program("stop", unit, "--json").json

    assert stopped["phase"] == "stopped"
    assert repository.read("first.txt") == b"1\n"
    assert not (repository.root / "second.txt").exists()
    assert lines_of(program("resume", "--all", "--json").out) == []


def test_an_answer_reaches_a_detached_unit(repository: Repository, program: Program, tmp_path: Path) -> None:
    """A unit that parks in the background waits for its answer without a process; then `resume --all` goes on."""
    ask = """    if [ ! -e "$0.asked" ]; then
      : >"$0.asked"
      printf '{"outcome": "blocked", "reason": "Red or blue?"}' >"$UNLOST_OUTBOX/report.json"
    else echo blue >>colour.txt; fi"""
    work = PlannedWork.write(tmp_path / "plan", {"paint": ask})
    unit = detached(program, work)
    until_left(program, unit, "parked")

    before = program("resume", "--all", "--json", code=3)
    program("answer", unit, "Blue.")
    after = lines_of(program("resume", "--all", "--json").out)

    assert [told["fate"] for told in lines_of(before.out)] == ["waits"]
    assert [(told["unit"], told["phase"], told["exit"]) for told in after] == [(unit, "done", 0)]
    assert repository.read("colour.txt") == b"blue\n"
    assert "Blue." in work.prompt("paint")


@linux_only
def test_a_killed_supervisor_and_resume_all_end_the_same(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """The background supervisor dies by SIGKILL in the middle of a task; `resume --all` ends as an unharmed run does.

    The finished task is not repeated, and the agent of the dead one is gone before the next one starts.
    """
    work, go = held(tmp_path)
    unit = detached(program, work)
    until(Path(f"{go}.began").exists, "the second task began")

    os.kill(supervisor_of(unit), signal.SIGKILL)
    go.touch()
    ended = program("resume", "--all")

    assert ended.out.startswith(unit)
    assert ended.out.count("\n") == 1
    assert unit_of(program, unit)["outcome"] == "done"
    assert work.attempts().count("first") == 1
    assert repository.read("first.txt") == b"1\n"


@linux_only
def test_two_repositories_go_on_side_by_side(repository: Repository, program: Program, tmp_path: Path) -> None:
    """Two detached units in two repositories, both supervisors killed: one `resume --all` carries both, at once.

    Each agent waits for the other's file, so neither could end if they went one after the other. The exit code is the
    worse one: a failed check is 1.
    """
    other = Repository.create(tmp_path / "other")
    there = Program(folder=other.root)
    signs = (tmp_path / "here.sign", tmp_path / "there.sign")
    meet = [f'    : >"{mine}"\n{held_until(theirs)}\n    echo met >>met.txt' for mine, theirs in (signs, signs[::-1])]
    start = tmp_path / "start"
    works = [
        PlannedWork.write(
            tmp_path / name,
            {"first": held_until(start), "meet": lines},
            head='[[check]]\nname = "c"\nrun = ["sh", "-c", "exit $0"]\n'.replace("$0", code),
        )
        for name, lines, code in (("one", meet[0], "0"), ("two", meet[1], "1"))
    ]
    for work in works:
        agent = work.plan.parent / "agent.sh"
        agent.write_text(agent.read_text().replace(f"{held_until(start)}", f"{held_until(start)}\n    echo 1 >>first"))
    units = [detached(place, work) for place, work in zip((program, there), works, strict=True)]
    for unit in units:
        os.kill(supervisor_of(unit), signal.SIGKILL)
    start.touch()

    told = lines_of(program("resume", "--all", "--json", code=1).out)

    assert sorted((each["unit"], each["phase"], each["exit"]) for each in told) == sorted(
        [(units[0], "done", 0), (units[1], "failed", 1)]
    )
    assert (repository.root / "met.txt").exists()
    assert (other.root / "met.txt").exists()


@linux_only
def test_a_wait_for_a_limit_is_slept_out_in_the_background(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """A provider's limit is waited for by the background supervisor; killed meanwhile, `resume --all` waits on."""
    told = json.dumps(claude_result(is_error=True, api_error_status=429, result="Claude AI usage limit reached|AT"))
    seconds = longer_than_looking(program, at_least=8)
    limited = f"printf '%s\\n' {shlex.quote(told)} | sed s/AT/$(($(date +%s) + {seconds}))/; exit 1"
    once = f'if [ ! -e "{tmp_path}/limited" ]; then : >"{tmp_path}/limited"; {limited}; fi'
    install(tmp_path / "bin", "claude", once, claude_init(), EDIT, claude_result())
    plan = tmp_path / "plan.toml"
    plan.write_text('goal = "g"\n[agent]\nuse = "claude"\n[[task]]\nid = "t"\ntext = "Edit."\n')
    armed = program.with_variables(PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    unit = str(armed("run", str(plan), "--detach", "--json").json["unit"])
    until_phase(program, unit, "paused")
    assert unit_of(program, unit)["reason"] == "rate_limit"
    assert unit in armed("resume", code=75).err

    os.kill(supervisor_of(unit), signal.SIGKILL)
    ended = lines_of(armed("resume", "--all", "--json").out)

    assert [(each["phase"], each["exit"]) for each in ended] == [("done", 0)]
    assert repository.read("file.txt") == b"changed\n"


def test_resume_all_with_nothing_to_do(repository: Repository, program: Program) -> None:
    """No open unit: it says so, exit 0; together with what is about one unit it is refused."""
    assert "no unit is open" in program("resume", "--all").out
    assert lines_of(program("resume", "--all", "--json").out) == []
    program("resume", "--all", "--extend", "1h", code=2)


def test_a_workspace_that_is_gone_is_told(repository: Repository, program: Program, tmp_path: Path) -> None:
    """A unit whose work tree is not there is left alone and told; nothing is made in its place."""
    ask = """    printf '{"outcome": "blocked", "reason": "Well?"}' >"$UNLOST_OUTBOX/report.json" """
    work = PlannedWork.write(tmp_path / "plan", {"paint": ask})
    program("run", str(work.plan), code=3)
    repository.root.rename(tmp_path / "moved-away")
    away = Program(folder=tmp_path)

    told = lines_of(away("resume", "--all", "--json", code=75).out)

    assert [each["fate"] for each in told] == ["gone"]
    assert not repository.root.exists()
