"""A provider that takes no more, or a budget that is spent: waited for, or told at once; real processes and clock."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from kit.ground import eventually
from kit.nights import longer_than_looking
from kit.plans import PlannedWork
from kit.program import Program

pytestmark = pytest.mark.slow

DONE = "echo swapped >swap.txt"


def limited(until: str, *, once: Path) -> str:
    """Shell of an agent that its provider sends away the first time."""
    told = f"""printf '{{"type": "ended", "error": "usage limit reached, try again in {until}"}}\\n'"""
    return f"""if [ ! -e {once} ]; then touch {once}; {told}; exit 1; fi; {DONE}"""


def test_a_limit_is_waited_for(program: Program, tmp_path: Path) -> None:
    """The unit waits for the reset by itself, then the task is done; nothing counts against its attempts."""
    lines = {"swap": limited("1s", once=tmp_path / "met")}
    work = PlannedWork.write(tmp_path / "plan", lines, head="budget = { attempts = 1 }")
    done = program("run", str(work.plan), "--json").json

    assert (done["outcome"], done["tasks"][0]["attempts"]) == ("done", 2)
    assert "limit" not in done


def test_a_limit_that_may_not_be_waited_for_pauses(program: Program, tmp_path: Path) -> None:
    """Exit 5 at once, with the reason and the command that goes on; `resume` is worth one try."""
    lines = {"swap": limited("3h", once=tmp_path / "met")}
    work = PlannedWork.write(tmp_path / "plan", lines, head='limits = { max_wait = "2h" }')
    paused = program("run", str(work.plan), "--json", code=5).json

    assert (paused["phase"], paused["reason"]) == ("paused", "rate_limit")
    assert paused["next"] == f"unlost resume {paused['unit']} --extend 2h"
    assert paused["limit"]["resets_at"] is not None
    assert program("resume", "--extend", "2h", "--json").json["outcome"] == "done"


def test_a_killed_wait_goes_on(program: Program, tmp_path: Path) -> None:
    """`kill -9` while it waits: the unit is paused by the limit, and the next supervisor waits for the rest."""
    seconds = longer_than_looking(program, at_least=8)
    lines = {"swap": limited(f"{seconds}s", once=tmp_path / "met")}
    work = PlannedWork.write(tmp_path / "plan", lines)
    started = program.start("run", str(work.plan), "-q")

    def waits() -> bool:
        units = program("status", "--json", code=None).json["units"]
        return bool(units) and units[0]["reason"] == "rate_limit"

    eventually((tmp_path / "met").exists)
    eventually(waits)
    started.send_signal(signal.SIGKILL)
    started.communicate(timeout=240)
    done = program("resume", "--json").json

    assert done["outcome"] == "done"
    assert work.attempts() == ["swap", "swap"]


def test_a_spent_budget_is_raised(program: Program, tmp_path: Path) -> None:
    """Exit 5 when the dollars are spent, naming `--raise-cost`; with more of them the next task is paid for."""
    costly = """
        echo one >one.txt; echo '{"outcome": "completed"}' >"$UNLOST_OUTBOX/report.json"
        echo '{"type": "usage", "cost_usd": 0.6}'
    """
    cheap = """echo two >two.txt; echo '{"type": "usage", "cost_usd": 0.1}'"""
    work = PlannedWork.write(tmp_path / "plan", {"one": costly, "two": cheap}, head="budget = { cost_usd = 0.5 }")
    paused = program("run", str(work.plan), "--json", code=5).json

    assert (paused["phase"], paused["reason"], work.attempts()) == ("paused", "cost", ["one"])
    assert paused["next"] == f"unlost resume {paused['unit']} --raise-cost 5"
    done = program("resume", "--raise-cost", "5", "--json").json
    assert (done["outcome"], work.attempts()) == ("done", ["one", "two"])
    assert done["budget"]["cost_usd"] == pytest.approx(5.5)
