"""Research before coding with real processes, real git and the real ledger: asked, answered, coded once."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from kit.program import Program
from kit.repository import Repository
from kit.researched import CODING, QUESTION, ResearchedWork, blocked_brief, head_of, ready_brief

pytestmark = pytest.mark.slow

CODED = ["code swap", "code tell"]
IDENTITY = ["-c", "user.name=An Agent", "-c", "user.email=agent@example.org"]


def test_a_ready_brief_is_coded_on(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.23, R.A5: research runs once before the first coding attempt, and its brief is in every coding prompt."""
    work = ResearchedWork.write(tmp_path / "plan", ready_brief(head_of(repository)))

    done = program("run", str(work.plan), "--json").json

    assert done["outcome"] == "done"
    assert work.ran() == ["research research", *CODED]
    assert done["research"]["state"] == "ready"
    prompt = program("show", done["unit"], "--prompt", "tell/1", "--body").out
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
    prompt = program("show", done["unit"], "--prompt", "swap/1", "--body").out
    assert QUESTION in prompt
    assert "Yes, until 3.0." in prompt
    assert "recheck it, it proves nothing" in prompt


@pytest.mark.slow
def test_a_question_during_coding_parks_and_goes_on(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.13, R.17: an outbox question of a coding agent parks; answered, the task goes on with the answer, once."""
    asking = [
        {"do": "ask", "question": "Which name?", "only": {"task": "swap", "attempt": 1}},
        {"do": "exit", "only": {"task": "swap", "attempt": 1}},
    ]
    work = ResearchedWork.write(tmp_path / "plan", ready_brief(head_of(repository)), coding=[*asking, *CODING])

    parked = program("run", str(work.plan), code=3)
    assert "parked: Which name?" in parked.out
    assert program("resume", code=3).out.count("parked:") == 1
    program("answer", "parse")
    done = program("resume", "--json").json

    assert done["outcome"] == "done"
    assert work.ran() == ["research research", "code swap", *CODED]
    assert "parse\n<<<END" in program("show", done["unit"], "--prompt", "swap/2", "--body").out


@pytest.mark.slow
def test_what_a_researcher_writes_is_discarded_and_told(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """R.23, R.25: a researcher gets a copy without `.git`; what it writes there is gone, named, and harms nothing."""
    writing = [
        {"do": "shell", "run": "chmod -R u+w . && echo mine >main.rs && echo more >new.txt && test ! -e .git"},
    ]
    work = ResearchedWork.write(tmp_path / "plan", ready_brief(head_of(repository)), research=writing)
    repository.write("lib.rs", "pub fn legacy_parse() { /* mine, not committed */ }\n")

    done = program("run", str(work.plan), "--json")

    assert done.json["outcome"] == "done"
    assert done.json["research"]["discarded"] == 2
    assert "discarded: main.rs, new.txt" in done.err
    assert b"mine" not in repository.read("main.rs")
    assert not repository.exists("new.txt")
    assert repository.read("lib.rs") == b"pub fn legacy_parse() { /* mine, not committed */ }\n"
    assert not any(Path(os.environ["UNLOST_HOME"]).rglob("checkout-*"))


@pytest.mark.slow
def test_a_researcher_reads_the_commit_and_holds_no_credential(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """R.25, R.30: HEAD's files, not the edits beside them; none of the variables that the plan passes to coders."""
    repository.write("main.rs", "fn main() {\n    legacy_parse(); // edited\n}\n")
    seen = tmp_path / "seen"
    looking = [{"do": "shell", "run": f'cat main.rs >"{seen}"; env >>"{seen}"'}]
    told = f'env >"{seen}.$UNLOST_TASK"; echo "$UNLOST_TASK" >"$UNLOST_TASK.txt"'
    coding: list[dict[str, Any]] = [{"do": "shell", "run": told, "only": {"step": "code"}}]
    work = ResearchedWork.write(
        tmp_path / "plan",
        ready_brief(head_of(repository)),
        research=looking,
        coding=coding,
        agent='env = ["DEPLOY_TOKEN"]',
    )

    program.with_variables(DEPLOY_TOKEN="hush-hush")("run", str(work.plan))

    assert "edited" not in seen.read_text()
    assert "legacy_parse" in seen.read_text()
    assert "UNLOST_STEP=research" in seen.read_text()
    assert "hush-hush" not in seen.read_text()
    assert "DEPLOY_TOKEN=hush-hush" in Path(f"{seen}.swap").read_text()


@pytest.mark.slow
def test_a_moved_head_refuses_until_it_is_put_back(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.32, R.A6c: a commit by a person while the unit is parked starts no agent; the same head again starts it."""
    commit = head_of(repository)
    work = ResearchedWork.write(tmp_path / "plan", blocked_brief(commit))
    program("run", str(work.plan), code=3)
    repository.write("other.rs", "// a person's\n")
    repository.commit("meanwhile")
    program("answer", "Yes.")

    refused = program("resume", "--json", code=3)
    assert (refused.json["reason"], refused.json["research"]["refused"]) == ("research_refused", ["moved_head"])
    assert work.ran() == ["research research"]
    repository.git("reset", "-q", "--soft", commit)

    assert program("resume", "--json").json["outcome"] == "done"
    assert work.ran() == ["research research", *CODED]


@pytest.mark.slow
def test_an_agents_own_commit_is_the_units_progress(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.33: what a coding attempt of this unit commits on the branch does not refuse the next one."""
    commit = [{"do": "git", "args": [*IDENTITY, "commit", "-qam", "swap"], "only": {"task": "swap"}}]
    work = ResearchedWork.write(
        tmp_path / "plan", ready_brief(head_of(repository)), coding=[CODING[0], *commit, CODING[1]]
    )

    assert program("run", str(work.plan), "--json").json["outcome"] == "done"
    assert work.ran() == ["research research", *CODED]


@pytest.mark.slow
def test_a_revoked_source_refuses_before_an_agent(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.34, R.35, R.41: sources are listed without their text, revoked by id, and coding then starts no agent."""
    work = ResearchedWork.write(tmp_path / "plan", blocked_brief(head_of(repository)))
    unit = program("run", str(work.plan), "--json", code=3).json["unit"]
    (row,) = program("sources", "list", "--json").json["sources"]
    assert (row["unit"], row["kind"], row["state"], row["ref"]) == (unit, "file", "recorded", None)
    assert program("sources", "list", "--body", "--json").json["sources"][0]["ref"] == "main.rs:2"

    program("sources", "revoke", row["id"][:6])
    program("sources", "revoke", row["id"])
    program("answer", "Yes.")
    refused = program("resume", code=3)

    assert f"revoked source  {row['id']}" in refused.err
    assert work.ran() == ["research research"]
    assert program("sources", "list", "--json").json["sources"][0]["state"] == "revoked"
    program("sources", "revoke", "s-nothing", code=2)


@pytest.mark.slow
def test_a_source_that_is_not_there_refuses(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.35: a file that the commit does not have, or a run nobody knows, is unknown, and unknown is not allowed."""
    for ref, kind in (("nowhere.rs", "file"), ("../../etc/passwd", "file"), ("u-000000000000", "run")):
        source = {"id": "s1", "kind": kind, "ref": ref}
        work = ResearchedWork.write(
            tmp_path / kind / ref.replace("/", "_"), ready_brief(head_of(repository), sources=[source])
        )
        refused = program("run", str(work.plan), "--json", code=3).json
        assert refused["research"]["refused"] == ["unknown_source"], ref
        assert work.ran() == ["research research"]
        program("stop")


@pytest.mark.slow
def test_lists_and_logs_carry_no_text(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.41, R.A9b: status, lists and events say nothing of what was found or asked; `--body` does, to its owner."""
    work = ResearchedWork.write(tmp_path / "plan", blocked_brief(head_of(repository)))
    unit = program("run", str(work.plan), "--json", code=3).json["unit"]
    program("answer", "Only for the secret customer.")
    public = [
        program(*words).out
        for words in (
            ("status", "--json"),
            ("log", "--events", "--json"),
            ("sources", "list", "--json"),
            ("brief", "show", unit, "--json"),
            ("brief", "show", unit),
        )
    ]

    for word in (QUESTION, "1.x", "secret customer", "main.rs alone", "links against"):
        assert all(word not in shown for shown in public), word
    body = program("brief", "show", unit, "--body").out
    assert "Claims (unverified):\n- main.rs alone calls it [s1]" in body
    assert program("brief", "show", unit, "--body", "--json").json["brief"]["blocked_reason"] == QUESTION


@pytest.mark.slow
def test_briefs_are_checked_as_they_would_be_stored(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.3, R.5, R.A1: `brief check` names every fault at once, and the digest of a sound one."""
    file = tmp_path / "brief.json"
    file.write_text(json.dumps(ready_brief(head_of(repository))))
    sound = program("brief", "check", str(file), "--json").json
    file.write_text(json.dumps(ready_brief("abc", evidence=[], approach=[])))
    broken = program("brief", "check", str(file), "--json", code=2)
    file.write_text(json.dumps(ready_brief("a" * 40, evidence=[], approach=[])))
    unready = program("brief", "check", str(file), "--json", code=2)

    assert (sound["readiness"], sound["problems"], len(sound["digest"])) == ("ready", [], 64)
    assert "commit" in broken.json["problems"][0]["what"]
    assert [problem["what"].split(":")[0] for problem in unready.json["problems"]] == ["evidence", "approach"]


@pytest.mark.slow
def test_a_parked_unit_is_stopped(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.14: `stop` ends the wait; the question is closed and an answer is refused."""
    work = ResearchedWork.write(tmp_path / "plan", blocked_brief(head_of(repository)))
    program("run", str(work.plan), code=3)

    assert program("stop", "--json").json["phase"] == "stopped"
    program("answer", "Too late.", code=2)
    assert work.ran() == ["research research"]


@pytest.mark.slow
def test_a_parked_unit_holds_no_process(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.14: while it waits nothing of the unit runs, and its workspace is free for marks and checks."""
    work = ResearchedWork.write(tmp_path / "plan", blocked_brief(head_of(repository)))
    unit = program("run", str(work.plan), "--json", code=3).json["unit"]

    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert unit not in running
    program("mark")
    program("check")
