"""A run in a worktree of its own, its work brought home, the worktree removed; and every way that can go wrong."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from kit.plans import PlannedWork
from kit.program import Program
from kit.repository import Repository

pytestmark = pytest.mark.slow
"""Each is a journey through several commands, seconds each."""

RENAME = "    sed -i.bak s/legacy_parse/parse_all/ main.rs && rm main.rs.bak"
NEW_FILE = "    mkdir -p src && echo 'mod made;' >src/made.rs"


@pytest.fixture
def work(tmp_path: Path) -> PlannedWork:
    """Two tasks: one changes a file, one makes a new one."""
    return PlannedWork.write(tmp_path / "plan", {"rename": RENAME, "add": NEW_FILE})


def ran(program: Program, work: PlannedWork, *more: str) -> Any:
    """The unit of a run in a worktree."""
    return program("run", str(work.plan), "--json", *more).json


def folder(repository: Repository, name: str) -> Repository:
    """The worktree of this name."""
    return Repository(root=repository.root.parent / f"{repository.root.name}.{name}")


def test_a_run_in_a_worktree_leaves_my_tree_alone(repository: Repository, program: Program, work: PlannedWork) -> None:
    """`run --worktree` works beside the repository, on a branch of its own; mine keeps files, index, HEAD."""
    repository.write("lib.rs", "pub fn mine() {}\n")
    before = repository.outside_objects()
    files = {path.name: path.read_bytes() for path in repository.root.iterdir() if path.is_file()}

    done = ran(program, work, "--worktree=feature")

    tree = folder(repository, "feature")
    assert done["outcome"] == "done"
    assert tree.git("branch", "--show-current") == "unlost/feature"
    assert tree.git("status", "--porcelain").splitlines() == [" M main.rs", "?? src/"]
    assert tree.exists(".unlost/workspace-ready.json")
    assert tree.read("lib.rs") == b"pub fn legacy_parse() {}\n"
    assert {path.name: path.read_bytes() for path in repository.root.iterdir() if path.is_file()} == files
    after = repository.outside_objects()
    assert {name: state for name, state in after.items() if "worktrees" not in name and "unlost" not in name} == before


def test_the_mode_of_a_plan_makes_a_worktree_and_sets_it_up_once(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """`[workspace] mode = "worktree"`: named after the plan, precious ignored files in it, setup run once."""
    repository.write(".gitignore", ".env\nnode_modules/\nsetup-ran\n")
    repository.commit("ignores")
    repository.write(".env", "KEY=1\n")
    repository.write("node_modules/big.js", "x")
    head = '[workspace]\nmode = "worktree"\nsetup = [["sh", "-c", "cat .env >>setup-ran"]]\n'
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME}, head=head)

    result = program("run", str(work.plan))
    tree = folder(repository, "a-plan-of-a-test")
    again = program("run", str(work.plan), "--worktree=a-plan-of-a-test", code=None)

    assert tree.read(".env") == b"KEY=1\n"
    assert not tree.exists("node_modules")
    assert tree.read("setup-ran") == b"KEY=1\n"
    assert str(tree.root) in result.err
    assert str(tree.root) in again.err
    assert tree.git("status", "--porcelain") == "M main.rs".rjust(10)


def test_setup_that_fails_starts_no_agent(repository: Repository, program: Program, tmp_path: Path) -> None:
    """A failing setup command ends the run with exit 1, its output, and what to type; a mended one goes on."""
    head = '[workspace]\nmode = "worktree"\nsetup = [["sh", "-c", "echo no such thing >&2; exit 3"]]\n'
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME}, head=head)

    failed = program("run", str(work.plan), "--worktree=x", code=1)

    assert "no such thing" in failed.err
    assert "exit code 3" in failed.err
    assert "unlost workspace remove w-" in failed.err
    assert work.attempts() == []
    assert folder(repository, "x").exists("main.rs")


def test_apply_brings_the_work_home_and_undo_takes_it_back(
    repository: Repository, program: Program, work: PlannedWork
) -> None:
    """`workspace apply`: new files come, a conflict is refused whole, a dry run changes nothing, undo works."""
    workspace = ran(program, work, "--worktree=feature")["workspace"]
    mine = b"fn main() {\n    other_parse();\n}\n"
    repository.write("main.rs", mine)
    repository.write("notes", "mine\n")

    dry = program("workspace", "apply", workspace, "-n", "--json", code=3).json
    untouched = repository.exists("src/made.rs")
    applied = program("workspace", "apply", workspace, "--json", code=3).json

    assert dry["applied"] == ["src/made.rs"]
    assert not untouched
    assert applied["applied"] == ["src/made.rs"]
    assert repository.read("main.rs") == mine
    assert applied["failed"] == [{"path": "main.rs", "reason": "conflict"}]
    assert repository.read("notes") == b"mine\n"
    program("undo")
    assert not repository.exists("src/made.rs")
    assert program("workspace", "apply", workspace, "--json", code=3).json["applied"] == ["src/made.rs"]


def test_apply_merges_what_both_sides_changed(repository: Repository, program: Program, work: PlannedWork) -> None:
    """Lines of both sides stay, and what a second attempt adds later comes with a second apply."""
    workspace = ran(program, work, "--worktree=feature")["workspace"]
    repository.write("main.rs", "// mine\nfn main() {\n    legacy_parse();\n}\n")

    first = program("workspace", "apply", workspace, "--json").json
    folder(repository, "feature").write("src/made.rs", "mod made;\nmod more;\n")
    second = program("workspace", "apply", workspace, "--json").json

    assert first["merged"] == ["main.rs"]
    assert repository.read("main.rs") == b"// mine\nfn main() {\n    parse_all();\n}\n"
    assert second["applied"] == ["src/made.rs"]
    assert second["merged"] == []
    assert repository.read("src/made.rs") == b"mod made;\nmod more;\n"


def test_what_could_not_be_captured_is_not_deleted_at_home(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """A file that grew beyond the cap in the worktree is refused by name; mine stays, and the rest comes home."""
    repository.write("unlost.toml", '[snapshot]\nmax_file = "1KiB"\n')
    repository.commit("a small cap")
    work = PlannedWork.write(tmp_path / "plan", {"grow": f"{RENAME}\n    head -c 4096 /dev/zero >lib.rs"})
    ran(program, work, "--worktree=feature")

    told = program("workspace", "apply", "feature", "--json", code=3).json

    assert (told["applied"], [each["path"] for each in told["failed"]]) == (["main.rs"], ["lib.rs"])
    assert repository.read("lib.rs") == b"pub fn legacy_parse() {}\n"
    folder(repository, "feature").write("lib.rs", "small again\n")
    program("workspace", "apply", "feature")
    assert repository.read("lib.rs") == b"small again\n"


def test_removing_is_refused_until_the_work_landed(repository: Repository, program: Program, work: PlannedWork) -> None:
    """`workspace remove` refuses while work is only there, goes after an apply, and keeps a snapshot."""
    workspace = ran(program, work, "--worktree=feature")["workspace"]
    tree = folder(repository, "feature")

    refused = program("workspace", "remove", workspace, code=3)
    program("workspace", "apply", workspace)
    removed = program("workspace", "remove", workspace, "--json").json

    assert "main.rs  uncommitted" in refused.err
    assert not tree.root.exists()
    assert removed["branch"] is None
    assert "unlost/feature" not in repository.git("branch", "--list", "unlost/*")
    assert str(tree.root) not in repository.git("worktree", "list")
    shown = program("--workspace", workspace, "show", f"{removed['snapshot']}:src/made.rs")
    assert shown.out == "mod made;\n"
    listed = program("workspace", "list", "--json").json["workspaces"]
    assert [row["state"] for row in listed if row["workspace"] == workspace] == ["removed"]


def test_committed_work_that_no_other_branch_reaches_keeps_its_branch(
    repository: Repository, program: Program, work: PlannedWork
) -> None:
    """Commits of the worktree alone are refused; with --force the branch stays, and so do its commits."""
    workspace = ran(program, work, "--worktree=feature")["workspace"]
    commit = folder(repository, "feature").commit("work")

    refused = program("workspace", "remove", workspace, code=3)
    removed = program("workspace", "remove", workspace, "--force", "--json").json

    assert "only in its own commits" in refused.err
    assert removed["branch"] == "unlost/feature"
    assert repository.git("rev-parse", "unlost/feature") == commit


def test_merged_work_needs_no_apply(repository: Repository, program: Program, work: PlannedWork) -> None:
    """Work that was committed and merged by hand is safe: the worktree and its branch go."""
    workspace = ran(program, work, "--worktree=feature")["workspace"]
    folder(repository, "feature").commit("work")
    repository.git("merge", "-q", "unlost/feature")

    removed = program("workspace", "remove", workspace, "--json").json

    assert removed["branch"] is None
    assert repository.read("src/made.rs") == b"mod made;\n"


def test_a_worktree_made_by_others_is_a_workspace_of_its_own(repository: Repository, program: Program) -> None:
    """A linked worktree that git made has its own boundaries; apply and remove leave it to git."""
    program("mark")
    other = repository.root.parent / "other"
    repository.git("worktree", "add", "-q", str(other))

    marked = Program(folder=other)("mark", "--json").json
    refused = program("workspace", "remove", marked["workspace"], code=2)

    assert marked["workspace"] != program("mark", "--json").json["workspace"]
    assert "git worktree remove" in refused.err
    assert other.exists()


def test_names_that_are_taken_or_no_names_are_refused(
    repository: Repository, program: Program, work: PlannedWork
) -> None:
    """A branch or folder of a person's is never used; a name that is no part of a branch is exit 2."""
    repository.git("branch", "unlost/mine")
    folder(repository, "yours").root.mkdir()

    assert "is there already" in program("run", str(work.plan), "--worktree=mine", code=2).err
    assert "is there already" in program("run", str(work.plan), "--worktree=yours", code=2).err
    assert "cannot name a worktree" in program("run", str(work.plan), "--worktree=../up", code=2).err
    assert "PLAN goes before" in program("run", "--worktree", str(work.plan), code=2).err
    assert work.attempts() == []


def test_hooks_and_filters_of_the_repository_do_not_run(
    repository: Repository, program: Program, work: PlannedWork, tmp_path: Path
) -> None:
    """Making a worktree runs nothing that the repository names: no hook, no filter, no fsmonitor."""
    trace = tmp_path / "ran"
    for hook in ("post-checkout", "reference-transaction"):
        repository.write(f".git/hooks/{hook}", f"#!/bin/sh\necho {hook} >>{trace}\n", executable=True)
    repository.git("config", "filter.evil.smudge", f"sh -c 'echo smudge >>{trace}; cat'")
    repository.git("config", "filter.evil.clean", "cat")
    repository.git("config", "core.fsmonitor", f"sh -c 'echo fsmonitor >>{trace}'")
    repository.write(".git/info/attributes", "*.rs filter=evil\n")

    workspace = ran(program, work, "--worktree=feature")["workspace"]
    program("workspace", "remove", workspace, "--force")

    assert not trace.exists()


def test_a_killed_making_is_finished_by_the_next_run(
    repository: Repository, program: Program, work: PlannedWork
) -> None:
    """Killed at any step of making the worktree, the same command makes it and runs."""
    for point in ("worktree.planned", "worktree.added", "worktree.filled", "worktree.registered"):
        name = point.replace(".", "-")
        killed = program.with_variables(UNLOST_CRASH_AT=point)("run", str(work.plan), f"--worktree={name}", code=None)
        done = ran(program, work, f"--worktree={name}")

        assert killed.code == -9
        assert done["outcome"] == "done"
        assert folder(repository, name).read("src/made.rs") == b"mod made;\n"


def test_line_ends_and_large_file_contents_are_as_in_my_tree(
    repository: Repository, program: Program, work: PlannedWork
) -> None:
    """What git converts at checkout (line ends by attribute) stands in the worktree as it does here, and is clean."""
    repository.write(".gitattributes", "*.txt eol=crlf\n")
    repository.write("a.txt", "one\ntwo\n")
    repository.commit("text")
    subprocess.run(["rm", "a.txt"], cwd=repository.root, check=True)
    repository.git("checkout", "--", "a.txt")

    ran(program, work, "--worktree=feature")

    tree = folder(repository, "feature")
    assert tree.read("a.txt") == b"one\r\ntwo\r\n"
    assert "a.txt" not in tree.git("status", "--porcelain")


def test_a_moved_root_is_adopted(repository: Repository, program: Program, tmp_path: Path) -> None:
    """W.24: `workspace adopt` says that a copy whose origin is gone is the workspace; a true copy is refused."""
    workspace = program("mark", "--json").json["workspace"]
    copy = tmp_path / "elsewhere"
    subprocess.run(["cp", "-r", str(repository.root), str(copy)], check=True)

    refused = Program(folder=copy)("workspace", "adopt", workspace, code=3)
    subprocess.run(["rm", "-rf", str(repository.root)], check=True)
    adopted = Program(folder=copy)("workspace", "adopt", workspace, "--json").json

    assert "is a copy" in refused.err
    assert adopted["root"] == str(copy)
    assert Program(folder=copy)("mark", "--json").json["workspace"] == workspace


def test_a_unit_of_a_worktree_is_steered_from_anywhere(
    repository: Repository, program: Program, tmp_path: Path
) -> None:
    """`resume UNIT` goes on in the unit's own worktree, wherever it is typed; the tree here stays as it is."""
    once = '    if [ ! -e "$0.once" ]; then touch "$0.once"; exit 1; fi\n    echo more >>lib.rs'
    head = "[budget]\nattempts = 1\n"
    work = PlannedWork.write(tmp_path / "plan", {"rename": RENAME, "again": once}, head=head)
    failed = program("run", str(work.plan), "--worktree=x", "--json", code=1).json
    other = Repository.create(tmp_path / "unrelated")

    shown = Program(folder=other.root)("show", failed["unit"], "--json").json
    stopped = program("amend", failed["unit"], "--plan", str(work.plan), "--run", "--json", code=None).json

    units = program("status", "--json").json["units"]

    assert [unit["unit"] for unit in units] == [failed["unit"]]
    assert shown["workspace"] == failed["workspace"]
    assert stopped["workspace"] == failed["workspace"]
    assert stopped["outcome"] == "done"
    assert folder(repository, "x").read("lib.rs").endswith(b"more\n")
    assert repository.git("status", "--porcelain") == ""


def test_an_old_root_tells_where_its_workspace_lives(
    repository: Repository, program: Program, work: PlannedWork, tmp_path: Path
) -> None:
    """Restored to another folder, the workspace is not changed unseen from its old one: `apply`, `check` name both."""
    ran(program, work, "--worktree=feature")
    program("mark")
    workspace = program("workspace", "save", "--json").json["workspace"]
    box = Repository(root=tmp_path / "my box")
    program("workspace", "restore", workspace, "--to", str(box.root))
    before = {path.name: path.read_bytes() for path in box.root.iterdir() if path.is_file()}

    applied = program("workspace", "apply", "feature", code=2)
    checked = program("check", code=2)

    for told, command in ((applied, "workspace apply feature"), (checked, "check")):
        assert f"{workspace} lived here, and lives at {box.root}" in told.err
        assert f"hint: unlost -C '{box.root}' {command}" in told.err
    assert {path.name: path.read_bytes() for path in box.root.iterdir() if path.is_file()} == before
    assert program("-C", str(box.root), "workspace", "apply", "feature").code == 0
    assert b"parse_all" in box.read("main.rs")
