"""Maintenance with real processes, real git and a real bare remote: rebased, settled by an agent once, refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from kit.program import Program
from kit.published import Remote
from kit.repository import Repository
from kit.scripted_work import ScriptedWork, finding, hands_in

pytestmark = pytest.mark.slow

CODING: list[dict[str, Any]] = [
    {"do": "edit", "path": "main.rs", "before": "legacy_parse", "after": "parse", "only": {"task": "swap"}},
    {"do": "write", "path": "notes.txt", "text": "swapped\n", "only": {"task": "tell"}},
]
SETTLED = "fn main() {\n    checked(parse());\n}\n"
REPAIR = {"do": "write", "path": "main.rs", "text": SETTLED, "only": {"task": "maintenance"}}
THEIRS = {"main.rs": "fn main() {\n    checked(legacy_parse());\n}\n"}


def published(
    folder: Path,
    program: Program,
    *steps: dict[str, Any],
    workflow: tuple[str, ...] = ("code", "publish"),
    **tables: Any,
) -> tuple[str, str]:
    """Run a plan to its published end; the unit and its branch."""
    work = ScriptedWork.write(folder / "plan", [*CODING, *steps], workflow=workflow, **tables)
    done = program("run", str(work.plan), "--json").json
    assert done["outcome"] == "done"
    branches = Remote(root=folder / "origin.git", repository=Repository(folder)).branches()
    (branch,) = branches.keys() - {"main"}
    return done["unit"], branch


def test_a_moved_target_is_rebased_onto_and_published(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.58: the branch stands on the new target with both sides' work; work tree, HEAD and index are untouched."""
    remote = Remote.beside(repository)
    unit, branch = published(tmp_path, program)
    onto = remote.move_main({"lib.rs": "pub fn other() {}\n"})
    before = (repository.git("status", "--porcelain"), repository.git("rev-parse", "HEAD"))

    done = program("maintain", unit, "--json").json

    assert done["phase"] == "done"
    (action,) = done["maintenance"]
    assert (action["result"], action["onto"], action["paid"]) == ("rebased", onto, False)
    assert remote.branches()[branch] == action["after"]
    assert remote.git("merge-base", branch, "main") == onto
    assert remote.shown(branch, "lib.rs") == "pub fn other() {}\n"
    assert "parse();" in remote.shown(branch, "main.rs")
    assert (repository.git("status", "--porcelain"), repository.git("rev-parse", "HEAD")) == before
    again = program("maintain", unit, "--json").json
    assert len(again["maintenance"]) == 1


def test_a_conflict_is_settled_by_an_agent_once(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.59, R.A13a: one repair under the unit's own lease; its commit is pushed, its spend stands beside coding's."""
    remote = Remote.beside(repository)
    unit, branch = published(tmp_path, program, REPAIR)
    remote.move_main(THEIRS)

    done = program("maintain", unit, "--json").json

    (action,) = done["maintenance"]
    assert (action["result"], action["paid"], action["conflicts"]) == ("rebased", True, 1)
    assert remote.shown(branch, "main.rs") == SETTLED
    roll = (tmp_path / "plan" / "roll").read_text().splitlines()
    assert roll == ["code swap", "code tell", "repair maintenance"]
    prompt = program("show", unit, "--prompt", "maintenance/1", "--body").out
    assert '- "main.rs"' in prompt
    assert "which moved" in prompt
    assert not list((tmp_path / "plan").glob("checkout*"))


def test_a_repair_that_leaves_marks_is_not_published_and_not_paid_again(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """R.63: what came of exactly these commits stays; the second call starts no agent, exit 3 both times."""
    remote = Remote.beside(repository)
    unit, branch = published(tmp_path, program)
    head = remote.branches()[branch]
    remote.move_main(THEIRS)

    first = program("maintain", unit, "--json", code=3).json
    second = program("maintain", unit, code=3)

    assert first["maintenance"][0]["result"] == "unresolved"
    assert "not paid for again" in second.err
    assert remote.branches()[branch] == head
    assert (tmp_path / "plan" / "roll").read_text().splitlines().count("repair maintenance") == 1


def test_a_repair_that_leaves_what_no_tree_can_hold_is_refused(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """N.R2, R.63: a planted git dir or a pipe beside a settled conflict: nothing of it is published."""
    remote = Remote.beside(repository)
    planting = {
        "do": "shell",
        "run": "mkdir .git && echo x >.git/config && mkfifo pipe",
        "only": {"task": "maintenance"},
    }
    unit, branch = published(tmp_path, program, REPAIR, planting)
    head = remote.branches()[branch]
    remote.move_main(THEIRS)

    done = program("maintain", unit, "--json", code=3).json

    assert done["maintenance"][0]["result"] == "agent_failed"
    assert remote.branches()[branch] == head


def test_a_delta_review_with_findings_keeps_the_branch_as_it_is(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """R.64: what a rebase came to is read before it is published; a finding stops it, and no coding round follows."""
    remote = Remote.beside(repository)
    unit, branch = published(
        tmp_path,
        program,
        hands_in(review=1),
        hands_in(finding("lib.rs", "parse is gone."), review=2),
        workflow=("code", "review", "publish"),
    )
    head = remote.branches()[branch]
    remote.move_main({"lib.rs": "pub fn other() {}\n"})

    done = program("maintain", unit, "--json", code=3).json

    assert done["maintenance"][0]["result"] == "findings"
    assert remote.branches()[branch] == head
    assert (tmp_path / "plan" / "roll").read_text().splitlines()[-1] == "review review"
    assert "put onto refs/heads/main" in program("show", unit, "--prompt", "review/2", "--body").out


def test_a_branch_that_somebody_else_moved_is_left_alone(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """R.57: a head at the remote that no receipt of the unit names gives no credit: nothing is rebased or pushed."""
    remote = Remote.beside(repository)
    unit, branch = published(tmp_path, program)
    remote.move_main({"lib.rs": "pub fn other() {}\n"})
    remote.git("update-ref", f"refs/heads/{branch}", "main")

    refused = program("maintain", unit, code=3)

    assert "does not hold what" in refused.err
    assert remote.branches()[branch] == remote.branches()["main"]


def test_a_unit_without_anything_published_is_refused(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.64: a unit that never published is told so, exit 2, and nothing is looked for."""
    work = ScriptedWork.write(tmp_path / "plan", CODING)
    unit = program("run", str(work.plan), "--json").json["unit"]

    assert "nothing published" in program("maintain", unit, code=2).err


def test_work_that_landed_is_left_as_it_is(repository: Repository, program: Program, tmp_path: Path) -> None:
    """R.64: merged at the target, squashed or not, nothing is pushed, and later moves are nobody's concern."""
    remote = Remote.beside(repository)
    unit, branch = published(tmp_path, program)
    head = remote.branches()[branch]
    remote.move_main({"main.rs": "fn main() {\n    parse();\n}\n", "notes.txt": "swapped\n"})

    done = program("maintain", unit, "--json").json
    remote.move_main({"lib.rs": "pub fn other() {}\n"})
    again = program("maintain", unit, "--json").json

    assert [action["result"] for action in done["maintenance"]] == ["landed"]
    assert len(again["maintenance"]) == 1
    assert remote.branches()[branch] == head
