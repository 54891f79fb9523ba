"""What git still holds: stashes with all their parts, dangling commits and blobs, the index, other branches."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from handoff.conftest import Verify
from handoff.handoffs import SOLVER_NEW, SOLVER_OLD, fix, handoff_file, only_fix, worked_and_reset
from kit.repository import Repository

import unlost
from unlost.handoff.schema import load_handoff

HANDOFF = load_handoff(handoff_file())


def test_reflog_is_context_only(solver: Repository, verify_in: Verify) -> None:
    """H.T2, H.18, H.20: the reflog is told as context; it holds nothing of an uncommitted edit, and none is claimed."""
    worked_and_reset(solver)

    report = verify_in(solver, HANDOFF)

    assert any("add the solver" in line for line in report.context.reflog)
    assert report.context.stashes == ()
    assert report.context.dangling == ()
    assert report.paths("dangling") == ()
    assert not report.recoverable


def test_stash(solver: Repository, verify_in: Verify) -> None:
    """H.T3, H.T4, H.13: an edit that was stashed is stashed, with the entry's name, and the stash is listed."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q", "-m", "half way")

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert report.paths("stashed") == (b"solver.cpp",)
    assert [each.where.name for each in report.fixes if each.where] == ["stash@{0}"]
    assert report.context.stashes == ("stash@{0}: On main: half way",)
    assert report.recoverable
    assert report.exit_code == 3


def test_two_stashes(solver: Repository, verify_in: Verify) -> None:
    """H.T6, H.19: two stashes are stash@{0} and stash@{1}, and each file is found in its own."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")
    solver.write("README.md", "# Solver\nIt multiplies.\n")
    solver.git("stash", "push", "-q")
    handoff = replace(
        HANDOFF,
        exact_fixes=(*HANDOFF.exact_fixes, fix("README.md", anchor="# Solver", before="", after="It multiplies.\n")),
        new_files=(),
    )

    report = verify_in(solver, handoff)

    assert {each.file: each.where.name for each in report.fixes if each.where} == {
        b"solver.cpp": "stash@{1}",
        b"README.md": "stash@{0}",
    }
    assert [line.partition(":")[0] for line in report.context.stashes] == ["stash@{0}", "stash@{1}"]


def test_stash_must_hold_the_fix(solver: Repository, verify_in: Verify) -> None:
    """H.13: a stash that changed the file in another way does not hold the fix; the fix is lost."""
    solver.write("solver.cpp", SOLVER_OLD + "// a note\n")
    solver.git("stash", "push", "-q")

    assert verify_in(solver, only_fix("return a + b;", "return a * b;")).paths("lost") == (b"solver.cpp",)


def test_untracked_part_of_a_stash(solver: Repository, verify_in: Verify) -> None:
    """H.13: a new file in the untracked part of a `stash -u` is stashed, not missing."""
    solver.write("newfile.h", "#pragma once\n")
    solver.git("stash", "push", "-q", "-u")

    report = verify_in(solver, replace(HANDOFF, exact_fixes=()))

    assert report.paths("stashed") == (b"newfile.h",)
    assert report.paths("missing_new_files") == ()


def test_staged_part_of_a_stash(solver: Repository, verify_in: Verify) -> None:
    """H.13: an edit that only the staged side of a stash has is found there."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("add", "solver.cpp")
    solver.write("solver.cpp", SOLVER_OLD + "// other\n")
    solver.git("stash", "push", "-q")

    assert verify_in(solver, only_fix("return a + b;", "return a * b;")).paths("stashed") == (b"solver.cpp",)


def test_dangling_commit(solver: Repository, verify_in: Verify) -> None:
    """H.T7, H.14: a commit that `reset HEAD~1` left behind holds the fix, and is named by its full id."""
    solver.write("solver.cpp", SOLVER_NEW)
    commit = solver.commit("multiply")
    solver.git("reset", "-q", "--hard", "HEAD~1")

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert report.paths("dangling") == (b"solver.cpp",)
    assert [each.where.name for each in report.fixes if each.where] == [commit]
    assert report.context.dangling == (commit,)


def test_dangling_below_the_tip(solver: Repository, verify_in: Verify) -> None:
    """H.14: a commit in the middle of an unreachable chain is found by what it changed, not by what it merely holds."""
    solver.write("solver.cpp", SOLVER_NEW)
    commit = solver.commit("multiply")
    solver.write("README.md", "# Other\n")
    solver.commit("words")
    solver.git("reset", "-q", "--hard", "HEAD~2")

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert [each.where.name for each in report.fixes if each.where] == [commit]


def test_dangling_commit_that_only_holds_the_path(solver: Repository, verify_in: Verify) -> None:
    """H.14: a dangling commit that did not change the path is no place for it, though `git show` would succeed."""
    solver.write("README.md", "# Other\n")
    solver.commit("words")
    solver.git("reset", "-q", "--hard", "HEAD~1")

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert report.paths("lost") == (b"solver.cpp",)


def test_stashes_are_not_dangling(solver: Repository, verify_in: Verify) -> None:
    """H.9: `fsck` names older stash entries as dangling; here an entry is a stash and nothing else."""
    for number in range(3):
        solver.write("README.md", f"# {number}\n")
        solver.git("stash", "push", "-q")
    worked_and_reset(solver)

    assert verify_in(solver, HANDOFF).context.dangling == ()


def test_staged_then_reset(solver: Repository, verify_in: Verify) -> None:
    """H.9: an edit that was staged and then reset survives as a dangling blob, and is found by its content."""
    solver.write("solver.cpp", SOLVER_NEW)
    blob = solver.git("hash-object", "solver.cpp")
    solver.git("add", "solver.cpp")
    solver.git("reset", "--hard", "-q")

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert report.paths("dangling") == (b"solver.cpp",)
    assert [each.where.name for each in report.fixes if each.where] == [f"blob {blob}"]


def test_blob_of_another_file(solver: Repository, verify_in: Verify) -> None:
    """A nameless content that holds the words of a fix but is no version of its file is not taken for one."""
    solver.write("other.txt", "quoting: return a * b;\n")
    solver.git("add", "other.txt")
    solver.git("rm", "-q", "--cached", "other.txt")

    assert verify_in(solver, only_fix("return a + b;", "return a * b;")).paths("lost") == (b"solver.cpp",)


def test_only_staged(solver: Repository, verify_in: Verify) -> None:
    """An edit that stands in the index alone is not lost: `git show :PATH` prints it."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("add", "solver.cpp")
    solver.write("solver.cpp", SOLVER_OLD)

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert [each.where.name for each in report.fixes if each.where] == ["index"]


def test_other_branch(solver: Repository, verify_in: Verify) -> None:
    """H.12: a fix that a commit of another branch holds is recoverable from git, so it is not lost."""
    solver.git("switch", "-q", "-c", "work")
    solver.write("solver.cpp", SOLVER_NEW)
    commit = solver.commit("multiply")
    solver.git("switch", "-q", "main")

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert [each.where.name for each in report.fixes if each.where] == [commit]


def test_deleted_but_committed(solver: Repository, verify_in: Verify) -> None:
    """A deleted file whose fix HEAD has is recoverable from that commit."""
    solver.write("solver.cpp", SOLVER_NEW)
    commit = solver.commit("multiply")
    solver.remove("solver.cpp")

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert [each.where.name for each in report.fixes if each.where] == [commit]


def test_changes_nothing(solver: Repository, verify_in: Verify) -> None:
    """Verifying changes nothing in `.git`, not a time stamp, and leaves no scratch behind."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")
    worked_and_reset(solver)
    before = solver.outside_objects()
    objects = sorted((solver.root / ".git" / "objects").rglob("*"))

    verify_in(solver, HANDOFF)

    assert solver.outside_objects() == before
    assert sorted((solver.root / ".git" / "objects").rglob("*")) == objects
    assert list((solver.root.parent / "scratch").iterdir()) == []


def test_damaged_repository(solver: Repository, verify_in: Verify) -> None:
    """A stash whose objects are gone, or a torn index, is passed over; the answer still comes."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")
    stash = solver.git("rev-parse", "stash@{0}")
    (solver.root / ".git" / "objects" / stash[:2] / stash[2:]).unlink()
    (solver.root / ".git" / "index").write_bytes(b"torn")

    assert verify_in(solver, only_fix("return a + b;", "return a * b;")).paths("lost") in ((b"solver.cpp",), ())


def test_without_site_packages(solver: Repository) -> None:
    """H.29: the forensics need the standard library and git alone: they answer in an interpreter with nothing else."""
    worked_and_reset(solver)
    source = Path(unlost.__file__).resolve().parents[1]
    program = (
        f"import sys; sys.path.insert(0, {str(source)!r})\n"
        "from unlost import compile_resume_prompt, verify_handoff\n"
        "from unlost.handoff.schema import load_handoff\n"
        "handoff = load_handoff(sys.stdin.buffer.read())\n"
        f"report = verify_handoff({str(solver.root)!r}, handoff)\n"
        "print(report.lost_files, '[REAPPLY] solver.cpp' in compile_resume_prompt(handoff, report))\n"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], input=handoff_file(), capture_output=True, timeout=240, check=True
    )

    assert done.stdout == b"(b'solver.cpp',) True\n"
