"""One unit from research to a repaired conflict on a moved target, and the story that `show` tells of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kit.program import Program
from kit.published import Remote
from kit.repository import Repository
from kit.researched import head_of, ready_brief
from kit.scripted_work import ScriptedWork, finding, hands_in
from kit.sshd import running_sshd

pytestmark = pytest.mark.slow

SETTLED = "fn main() {\n    checked(parse());\n}\n"
THEIRS = {"main.rs": "fn main() {\n    checked(legacy_parse());\n}\n"}
EVERY = ("research", "code", "review", "publish")
STORY = [
    ("unit", "asked for by {requester}: research, code, review, publish, 2 tasks"),
    ("research", "{unit}-research-1-1 is the producer: brief {brief} at commit {first}, 1 source"),
    ("code", "swap attempt 1: writer {unit}-1-1-1 on the brief of {unit}-research-1-1, at {first}"),
    ("code", "swap done at boundary 2"),
    ("code", "tell attempt 1: writer {unit}-2-1-1 on the brief of {unit}-research-1-1, at {first}"),
    ("code", "tell done at boundary 4"),
    ("review", "review 1: 1 error in notes.txt"),
    ("repair", "round 1 is to settle the findings of review 1"),
    ("repair", "repair/1 attempt 1: writer {unit}-3-1-1 on the brief of {unit}-research-1-1, at {first}"),
    ("repair", "repair/1 done at boundary 6"),
    ("review", "review 2: nothing found"),
    ("commit", "{first} to {work} on main, for swap, tell, repair/1"),
    ("publish", "origin {branch}: nothing to {work}, read back"),
    ("publish", "text of a pull request {request}, kept as a file"),
    ("unit", "done"),
    ("maintain", "{unit}/maintenance/1: main moved to {onto}; {branch} is at {work}"),
    ("maintain", "conflict in main.rs"),
    ("repair", "{unit}-maintenance-1-1 settles the conflict on the brief of {unit}-research-1-1, charged once"),
    ("repair", "{unit}-maintenance-1-1 ended"),
    ("review", "review 3: nothing found"),
    ("publish", "origin {branch}: {work} to {after}, read back"),
    ("maintain", "{unit}/maintenance/1 rebased onto {onto}: {work} to {after}"),
]


def steps_of(commit: str) -> list[dict[str, Any]]:
    """What the scripted agent does in each of its parts."""
    return [
        {"do": "research", "value": ready_brief(commit), "only": {"step": "research"}},
        {"do": "edit", "path": "main.rs", "before": "legacy_parse", "after": "parse", "only": {"task": "swap"}},
        {"do": "write", "path": "notes.txt", "text": "swaped\n", "only": {"task": "tell"}},
        {"do": "write", "path": "notes.txt", "text": "swapped\n", "only": {"task": "repair/1"}},
        {"do": "write", "path": "main.rs", "text": SETTLED, "only": {"task": "maintenance"}},
        hands_in(finding("notes.txt", "A word is misspelt."), review=1),
        hands_in(review=[2, 3]),
        {"do": "usage", "tokens": 100, "cost_usd": 0.25},
    ]


def play(repository: Repository, remote: Remote, program: Program, folder: Path) -> dict[str, Any]:
    """The whole way, seen from its end."""
    work = ScriptedWork.write(
        folder / "plan",
        steps_of(head_of(repository)),
        workflow=EVERY,
        commit={"mode": "at_end"},
        budget={"cost_usd": 5.0},
    )
    done = program("run", str(work.plan), "--json").json
    assert done["outcome"] == "done", done
    remote.move_main(THEIRS)
    program("maintain", done["unit"])
    assert work.ran() == [
        *("research research", "code swap", "code tell", "review review", "repair repair/1", "review review"),
        *("repair maintenance", "review review"),
    ]
    shown: dict[str, Any] = program("show", done["unit"], "--json").json
    return shown


def digest_of_request(shown: dict[str, Any]) -> str:
    """The first digits of the request's digest, as the story tells them."""
    (told,) = (each["what"] for each in shown["story"] if "pull request" in each["what"])
    return str(told.split()[5].rstrip(","))


def test_the_whole_way_and_its_story(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.51 to R.63, R.A12, R.A13: one producer, a pointer for each writer, every head by its receipt, told in order."""
    first = head_of(repository)
    remote = Remote.beside(repository)
    shown = play(repository, remote, program, tmp_path)
    (action,) = shown["maintenance"]
    branch = action["branch"].removeprefix("refs/heads/")
    facts = {
        "unit": shown["unit"],
        "requester": shown["requester"],
        "brief": shown["research"]["digest"][:10],
        "first": first[:10],
        "work": head_of(repository)[:10],
        "branch": branch,
        "onto": action["onto"][:10],
        "after": action["after"][:10],
        "request": digest_of_request(shown),
    }

    assert [(each["chapter"], each["what"]) for each in shown["story"]] == [
        (chapter, what.format(**facts)) for chapter, what in STORY
    ]
    assert shown["spent"]["usd"] == pytest.approx(8 * 0.25)
    assert remote.branches()[branch] == action["after"]
    assert remote.shown(branch, "main.rs") == SETTLED
    assert remote.shown(branch, "notes.txt") == "swapped\n"
    assert remote.git("merge-base", branch, "main") == remote.branches()["main"]
    assert "misspelt" not in program("show", shown["unit"]).out
    assert "maintain" in program("show", shown["unit"]).out


def test_the_same_way_over_ssh(
    repository: Repository, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R.A13d: the same with a remote behind a real sshd on loopback, with the person's own key."""
    with running_sshd() as server:
        monkeypatch.setenv("GIT_SSH_COMMAND", server.client)
        remote = Remote.beside(repository, url=server.url(tmp_path / "origin.git"))
        shown = play(repository, remote, program, tmp_path)

    (action,) = shown["maintenance"]
    assert action["result"] == "rebased"
    assert remote.branches()[action["branch"].removeprefix("refs/heads/")] == action["after"]
