"""A unit with research whose supervisor is killed by SIGKILL: real processes, real git, the real ledger."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.campaign import FULL
from kit.killed import again
from kit.program import Program
from kit.repository import Repository
from kit.researched import QUESTION, ResearchedWork, blocked_brief, head_of

from unlost.engine.points import POINTS

WHILE_IT_RUNS = ("attempt.prepared", "attempt.ready", "attempt.started")
"""Killed here, the first pass is the researcher's: it may have said nothing yet, and then one more is started."""
EVERY_POINT = (
    *(point for point in POINTS if point.startswith(("research.", "unit.admitted", "unit.waiting", "attempt."))),
    *("research.intended", "research.stored", "research.confirmed"),
    *WHILE_IT_RUNS,
)
SAMPLE = ("research.opened", "research.returned", "research.stored", "research.submitted", "unit.waiting")
"""What every run of the suite tries; `make campaign` tries every point."""


@pytest.mark.slow
@pytest.mark.campaign
@pytest.mark.parametrize("point", EVERY_POINT if FULL else SAMPLE)
def test_research_survives_a_kill(repository: Repository, program: Program, tmp_path: Path, point: str) -> None:
    """R.39, R.40, R.43, R.A7b, R.A9e: killed by SIGKILL anywhere, parked, answered, coded once, no second research."""
    work = ResearchedWork.write(tmp_path / "plan", blocked_brief(head_of(repository)))
    armed = program.with_variables(UNLOST_CRASH_AT=point)

    parked = again(program, armed("run", str(work.plan), "--json", code=None), "resume", "--json")
    assert (parked.code, parked.json["question"]["text"]) == (3, QUESTION)
    unit = parked.json["unit"]
    again(program, armed("answer", unit, "Yes.", code=None), "answer", unit, "Yes.")
    done = again(program, armed("resume", unit, "--json", code=None), "resume", unit, "--json")

    assert (done.code, done.json["outcome"]) == (0, "done"), done.err
    assert work.ran().count("research research") <= (2 if point in WHILE_IT_RUNS else 1)
    assert set(work.ran()) == {"research research", "code swap", "code tell"}
    assert "Yes." in program("show", unit, "--prompt", "tell/1", "--body").out
    assert repository.read("notes.txt") == b"swapped\n"
