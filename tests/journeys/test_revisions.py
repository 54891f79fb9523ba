"""Revisions of a plan by the program: amend, recover, the paused tree, and what the next attempt is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

pytestmark = pytest.mark.slow

RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"
NEVER_DONE = "    echo attempt >>lib.rs; exit 1"


@pytest.fixture
def failed(repository: Repository, program: Program, tmp_path: Path) -> PlannedWork:
    """A unit whose second task failed after its one attempt; the first is done."""
    work = PlannedWork.write(
        tmp_path / "plan", {"rename": RENAME, "second": NEVER_DONE}, head="[budget]\nattempts = 1\n"
    )
    program("run", str(work.plan), code=1)
    return work


def amended(work: PlannedWork, lines: str) -> None:
    """Let the agent do something else for the second task, and change the task's text."""
    agent = work.plan.parent / "agent.sh"
    agent.write_text(agent.read_text().replace(NEVER_DONE, lines))
    work.plan.write_text(work.plan.read_text().replace('text = "Do second."', 'text = "Do second better."'))


def test_amend_and_run_goes_on_without_redoing(repository: Repository, program: Program, failed: PlannedWork) -> None:
    """N.8, N.T1: amend --run after a failed attempt goes on; the done task is not redone, the note names both files."""
    amended(failed, "    echo better >>lib.rs")

    ended = program("amend", "--plan", str(failed.plan), "--run", "--json").json

    assert ended["outcome"] == "done"
    assert ended["revision"] == 2
    assert failed.attempts() == ["rename", "second", "second"]
    note = failed.prompt("second").split("## Work that is already here")[1]
    assert [json.loads(line[2:]) for line in note.splitlines() if line.startswith('- "')] == ["lib.rs", "main.rs"]


def test_a_first_revision_has_no_note(program: Program, failed: PlannedWork) -> None:
    """N.2, N.T3: revision 1 gets no retained-work note."""
    assert "earlier coding attempt" not in failed.prompt("second")


def test_a_paused_tree_that_changed_is_refused_with_its_paths(
    repository: Repository, program: Program, failed: PlannedWork
) -> None:
    """N.26: a revision starts only on the tree of its admission; else exit 3 with the differing paths, no agent."""
    amended(failed, "    echo better >>lib.rs")
    program("amend", "--plan", str(failed.plan), code=None)
    repository.write("surprise.txt", "since then\n")

    refused = program("resume", code=3)

    assert "surprise.txt" in refused.out + refused.err
    assert failed.attempts() == ["rename", "second"]
    (repository.root / "surprise.txt").unlink()
    assert program("resume", "--json").json["outcome"] == "done"


def test_recover_opens_the_same_plan_again(repository: Repository, program: Program, failed: PlannedWork) -> None:
    """N.8: recover opens revision 2 with the same digest after proving what stands; attempts count anew."""
    digest = program("status", "--json").json["units"][0]["unit"]
    before = program("show", digest, "--json").json["digest"]
    agent = failed.plan.parent / "agent.sh"
    agent.write_text(agent.read_text().replace(NEVER_DONE, "    echo better >>lib.rs"))

    recovered = program("recover", digest, "--json", code=None).json
    ended = program("resume", digest, "--json").json

    assert (recovered["revision"], recovered["digest"]) == (2, before)
    assert ended["outcome"] == "done"
    assert failed.attempts() == ["rename", "second", "second"]


def test_another_digest_than_the_approved_one_changes_nothing(program: Program, failed: PlannedWork) -> None:
    """N.R5: an approval binds exactly one digest; with another one the amendment is refused, exit 3."""
    refused = program("amend", "--plan", str(failed.plan), "--approve", "0" * 64, code=3)

    assert "approved" in refused.err
    assert program("status", "--json").json["units"][0]["revision"] == 1


def test_an_out_of_scope_change_blocks_and_accept_goes_on(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """N.27: a change outside the scope blocks with its name and keeps the work; a person's accept goes on."""
    work = PlannedWork.write(
        tmp_path / "plan",
        {"only": "    echo in >>lib.rs; echo out >>docs/notes.md"},
        head='[scope]\npaths = ["lib.rs"]\n',
    )

    blocked = program("run", str(work.plan), "--json", code=3).json
    program("accept", "docs/notes.md", "--unit", blocked["unit"], "-y")
    ended = program("resume", "--json").json

    assert (blocked["phase"], blocked["reason"]) == ("blocked", "out_of_scope")
    assert repository.read("docs/notes.md") == b"# Notes\nout\n"
    assert ended["outcome"] == "done"
    assert work.attempts() == ["only"]
