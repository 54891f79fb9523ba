"""Research, commits and a push of one unit in a real repository: the line of origin from brief to branch."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.program import Program
from kit.repository import Repository
from kit.researched import ResearchedWork, head_of, ready_brief

COMMITS = '[commit]\nmode = "each_task"\n'


@pytest.mark.slow
def test_coding_goes_on_from_the_units_own_commits(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.32, R.33, R.56: unlost's own commit of task one is the head that task two is admitted on; research ran once."""
    first = head_of(repository)
    work = ResearchedWork.write(tmp_path / "plan", ready_brief(first), head=COMMITS)
    unit = program("run", str(work.plan), "--json").json

    assert unit["outcome"] == "done"
    assert work.ran() == ["research research", "code swap", "code tell"]
    assert repository.git("log", "--format=%s").splitlines() == ["Say so in notes.txt.", "Swap the call.", "first"]
    assert [made["tasks"] for made in unit["commits"]["made"]] == [["swap"], ["tell"]]


@pytest.mark.slow
def test_a_commit_of_somebody_else_is_no_progress_of_the_unit(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """R.33, R.57, R.A12c: a head that no receipt of this unit gives refuses the next task; put back, it goes on."""
    work = ResearchedWork.write(tmp_path / "plan", ready_brief(head_of(repository)), head=COMMITS)
    armed = program.with_variables(UNLOST_CRASH_AT="commit.recorded")
    assert armed("run", str(work.plan), code=None).code < 0
    own = head_of(repository)
    repository.git("commit", "-q", "--allow-empty", "-m", "somebody else's")
    refused = program("resume", "--json", code=3).json
    assert refused["reason"] == "research_refused"
    assert refused["research"]["refused"] == ["moved_head"]
    assert work.ran() == ["research research", "code swap"]
    repository.git("reset", "-q", "--soft", own)

    assert program("resume", "--json").json["outcome"] == "done"
    assert work.ran() == ["research research", "code swap", "code tell"]
