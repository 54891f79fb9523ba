"""Research before coding with real processes, real git and the real ledger: asked, answered, coded once."""

from __future__ import annotations

from pathlib import Path

from kit.program import Program
from kit.repository import Repository
from kit.researched import QUESTION, ResearchedWork, blocked_brief, head_of, ready_brief

CODED = ["code swap", "code tell"]


def test_a_ready_brief_is_coded_on(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.23, R.A5: research runs once before the first coding attempt, and its brief is in every coding prompt."""
    work = ResearchedWork.write(tmp_path / "plan", ready_brief(head_of(repository)))

    done = program("run", str(work.plan), "--json").json

    assert done["outcome"] == "done"
    assert work.ran() == ["research research", *CODED]
    assert done["research"]["state"] == "ready"
    prompt = program("show", done["unit"], "--prompt", "tell/1").out
    assert "Claims (unverified):\n- main.rs alone calls it [s1]" in prompt


def test_a_blocked_brief_parks_is_answered_and_coded_once(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """R.11, R.13, R.15, R.29, R.A3b, R.A3d: exit 3 parked; a second process answers; resume codes once with it."""
    work = ResearchedWork.write(tmp_path / "plan", blocked_brief(head_of(repository)))

    parked = program("run", str(work.plan), "-q", code=3)
    assert parked.out == f"parked: {QUESTION}\n"
    assert work.ran() == ["research research"]
    shown = program("status", "--json").json["units"][0]["unit"]
    answered = program("answer", shown, "Yes, until 3.0.", "--json").json
    assert answered["phase"] == "coding"
    assert work.ran() == ["research research"]
    done = program("resume", "--json").json

    assert done["outcome"] == "done"
    assert work.ran() == ["research research", *CODED]
    prompt = program("show", done["unit"], "--prompt", "swap/1").out
    assert QUESTION in prompt
    assert "Yes, until 3.0." in prompt
    assert "recheck it, it proves nothing" in prompt
