"""Review with real processes, real git and the real ledger: read apart, repaired, read again, decided by a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kit.program import Program
from kit.repository import Repository
from kit.scripted_work import ScriptedWork, finding, hands_in

pytestmark = pytest.mark.slow

CODING: list[dict[str, Any]] = [
    {"do": "edit", "path": "main.rs", "before": "legacy_parse", "after": "parse", "only": {"task": "swap"}},
    {"do": "write", "path": "notes.txt", "text": "swaped\n", "only": {"task": "tell"}},
]
REPAIR = {"do": "write", "path": "notes.txt", "text": "swapped\n", "only": {"step": "repair"}}
TYPO = finding("notes.txt", "A word is misspelt.")
UNDONE = finding("feature.rs", "It is not done.")
NO_ROUND = {"use": "scripted", "rounds": 0}


def test_findings_are_repaired_and_read_again(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.53: a reviewer's finding becomes a repair round, and the unit is done when the next review finds nothing."""
    steps = [*CODING, REPAIR, hands_in(TYPO, review=1), hands_in(review=2)]
    work = ScriptedWork.write(tmp_path / "plan", steps, workflow=("code", "review"))

    done = program("run", str(work.plan), "--json").json

    assert done["outcome"] == "done"
    assert work.ran() == ["code swap", "code tell", "review review", "repair repair/1", "review review"]
    assert repository.read("notes.txt") == b"swapped\n"
    assert [task["id"] for task in done["tasks"]] == ["swap", "tell", "repair/1"]
    assert [row["result"] for row in done["review"]["reviews"]] == ["findings", "clean"]
    prompt = program("show", done["unit"], "--prompt", "review/1", "--body").out
    assert '=== "notes.txt" added' in prompt
    assert "A word is misspelt." in program("show", done["unit"], "--prompt", "repair/1/1", "--body").out


def test_a_repair_may_delete_what_a_task_made(repository: Repository, program: Program, tmp_path: Path) -> None:
    """G.17: a finding that asks for a file of the unit to go is settled without a false alarm."""
    gone = {"do": "delete", "path": "notes.txt", "only": {"step": "repair"}}
    steps = [*CODING, gone, hands_in(finding("notes.txt", "Nobody asked for it."), review=1), hands_in(review=2)]
    work = ScriptedWork.write(tmp_path / "plan", steps, workflow=("code", "review"))

    done = program("run", str(work.plan), "--json").json

    assert done["outcome"] == "done"
    assert not repository.exists("notes.txt")


def test_a_repair_may_not_take_a_persons_work(repository: Repository, program: Program, tmp_path: Path) -> None:
    """G.17, G.13: what a person had made before the unit is claimed against a repair round, too: exit 4."""
    repository.write("mine.txt", "mine\n")
    gone = {"do": "delete", "path": "mine.txt", "only": {"step": "repair"}}
    steps = [*CODING, gone, hands_in(finding("mine.txt", "It has to go."))]
    work = ScriptedWork.write(tmp_path / "plan", steps, workflow=("code", "review"))

    lost = program("run", str(work.plan), "--json", code=4).json

    assert lost["phase"] == "blocked"
    assert [row["path"] for row in lost["lost"]] == ["mine.txt"]


def test_a_reviewer_that_writes_is_told_and_changes_nothing(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """R.23, R.25: what it writes into its checkout is named and gone; it holds no variable that was passed through."""
    writing = {"do": "shell", "run": "chmod -R u+w .; echo no >main.rs; env >seen", "only": {"step": "review"}}
    steps = [*CODING, writing, hands_in()]
    work = ScriptedWork.write(
        tmp_path / "plan",
        steps,
        workflow=("code", "review"),
        agent={"use": "scripted", "script": "steps.toml", "env": ["SECRET_TOKEN"]},
    )

    told = program.with_variables(SECRET_TOKEN="s3cret")("run", str(work.plan))

    assert "wrote while reading, discarded: main.rs, seen" in told.err
    assert b"parse();" in repository.read("main.rs")
    assert not repository.exists("seen")


def test_a_person_reviews(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.54: the unit waits for a person's findings; given from a file they are repaired, `--none` ends it."""
    work = ScriptedWork.write(
        tmp_path / "plan", [*CODING, REPAIR], workflow=("code", "review"), review={"use": "person"}
    )
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps({"findings": [TYPO]}))

    waiting = program("run", str(work.plan), "--json", code=3).json
    assert waiting["reason"] == "review_waits"
    program("review", "--findings", str(mine), code=3)
    again = program("resume", "--json", code=3).json
    assert repository.read("notes.txt") == b"swapped\n"
    program("review", "--none", code=3)
    done = program("resume", "--json").json

    assert again["reason"] == "review_waits"
    assert done["outcome"] == "done"
    assert work.ran() == ["code swap", "code tell", "repair repair/1"]
    shown = program("review", done["unit"]).out
    assert "1 error in notes.txt by" in shown
    assert "misspelt" not in shown


def test_what_was_found_is_shown_to_who_may_read_it(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.41: `review --body` prints file, lines, what and why; without it counts and files alone."""
    steps = [*CODING, hands_in(TYPO)]
    work = ScriptedWork.write(
        tmp_path / "plan", steps, workflow=("code", "review"), review={"use": "scripted", "rounds": 0}
    )
    blocked = program("run", str(work.plan), "--json", code=3).json

    body = program("review", blocked["unit"], "--body").out
    found = program("review", "--body", "--json").json

    assert blocked["reason"] == "review_findings"
    assert 'error  "notes.txt" line 1' in body
    assert "A word is misspelt." in body
    assert found["findings"][0]["what"] == "A word is misspelt."


def test_a_repair_that_disputes_is_heard(repository: Repository, program: Program, tmp_path: Path) -> None:
    """G.20, R.41: a repair that leaves all as it was and says why is asked once; its reason stands by the findings."""
    disputing = {"do": "report", "outcome": "no_change", "reason": "It is Dutch.", "only": {"step": "repair"}}
    work = ScriptedWork.write(tmp_path / "plan", [*CODING, disputing, hands_in(TYPO)], workflow=("code", "review"))

    blocked = program("run", str(work.plan), "--json", code=3).json

    assert blocked["reason"] == "review_no_progress"
    assert work.ran().count("repair repair/1") == 1
    assert "says:\n    It is Dutch." in program("review", "--body").out


def test_findings_that_break_a_rule_are_refused(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.5: every fault of a findings file is named, exit 2, and the unit waits as before."""
    work = ScriptedWork.write(tmp_path / "plan", CODING, workflow=("code", "review"), review={"use": "person"})
    program("run", str(work.plan), code=3)
    bad = {"findings": [{"file": "../x", "severity": "fatal", "what": "", "why": "y", "more": 1}]}

    refused = program("review", "--findings", "-", stdin=json.dumps(bad), code=2)

    for words in ("findings[0].file", "severity is none of", "what is empty", 'unknown key "more"'):
        assert words in refused.err


def test_an_existing_branch_is_reviewed_as_it_is(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.28: `steps = ["review"]` reads what the branch has beyond main, uncommitted lines too; nothing is coded."""
    repository.git("switch", "-q", "-c", "feature")
    repository.write("feature.rs", "fn feature() {}\n")
    repository.commit("a feature")
    repository.write("feature.rs", "fn feature() { todo!() }\n")
    work = ScriptedWork.write(tmp_path / "plan", [hands_in(UNDONE)], workflow=("review",))

    done = program("run", str(work.plan), "--json").json
    prompt = program("show", done["unit"], "--prompt", "review/1", "--body").out

    assert done["outcome"] == "done"
    assert work.ran() == ["review review"]
    assert done["review"]["reviews"][0]["errors"] == 1
    assert "where it left refs/heads/main" in prompt
    assert "+fn feature() { todo!() }" in prompt
    assert "main.rs" not in prompt
    assert [task["state"] for task in done["tasks"]] == ["skipped", "skipped"]
