"""What verifying says of real repositories after every way of losing work that the source names."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import cast

from handoff.conftest import Verify
from handoff.handoffs import SOLVER_NEW, SOLVER_OLD, fix, handoff_file, only_fix, worked_and_reset
from kit.repository import Repository

from unlost.handoff.report import report_json
from unlost.handoff.resume_prompt import compile_resume_prompt
from unlost.handoff.schema import load_handoff

HANDOFF = load_handoff(handoff_file())
BUCKETS = (
    *("applied", "lost", "stashed", "dangling", "snapshot", "conflicting", "untracked_survivors", "missing_new_files"),
)


def test_incident(solver: Repository, verify_in: Verify) -> None:
    """H.T22, H.T1, H.12, H.17: after edit, create and reset, solver.cpp is lost, newfile.h survives, both marked."""
    worked_and_reset(solver)

    report = verify_in(solver, HANDOFF)
    prompt = compile_resume_prompt(HANDOFF, report)

    assert report.lost_files == (b"solver.cpp",)
    assert report.paths("untracked_survivors") == (b"newfile.h",)
    assert not report.recoverable
    assert report.exit_code == 4
    assert "[REAPPLY] solver.cpp" in prompt
    assert "[PRESENT — verify only, do not rewrite] newfile.h" in prompt


def test_applied(solver: Repository, verify_in: Verify) -> None:
    """H.T9, H.11: a fix that stands in the tree is applied and marked PRESENT."""
    solver.write("solver.cpp", SOLVER_NEW)
    handoff = only_fix("return a + b;", "return a * b;")

    report = verify_in(solver, handoff)

    assert report.paths("applied") == (b"solver.cpp",)
    assert report.exit_code == 0
    assert "[PRESENT — verify only, do not rewrite] solver.cpp" in compile_resume_prompt(handoff, report)


def test_committed_at_head(solver: Repository, verify_in: Verify) -> None:
    """H.T21, H.31: an unmodified file that already contains the fix, committed at HEAD, is applied and never lost."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.commit("multiply")

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert (report.paths("applied"), report.lost_files) == ((b"solver.cpp",), ())


def test_conflicting(solver: Repository, verify_in: Verify) -> None:
    """H.T10, H.15: a modified file with neither text is conflicting."""
    solver.write("solver.cpp", SOLVER_OLD.replace("a + b", "a - b"))

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert report.paths("conflicting") == (b"solver.cpp",)
    assert report.exit_code == 3


def test_conflict_before_stash(solver: Repository, verify_in: Verify) -> None:
    """H.15: a conflicting file stays conflicting though a stash holds the fix: to bring it back pushes work aside."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")
    solver.write("solver.cpp", SOLVER_OLD.replace("a + b", "a - b"))

    assert verify_in(solver, only_fix("return a + b;", "return a * b;")).paths("conflicting") == (b"solver.cpp",)


def test_unmerged(solver: Repository, verify_in: Verify) -> None:
    """H.15: a path that git calls unmerged is conflicting, whatever its text happens to hold."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")
    solver.write("solver.cpp", SOLVER_OLD.replace("a + b", "a - b"))
    solver.commit("subtract")
    solver.git("stash", "apply", "-q", check=False)

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert b"<<<<<<<" in solver.read("solver.cpp")
    assert report.paths("conflicting") == (b"solver.cpp",)


def test_unmodified_with_neither(solver: Repository, verify_in: Verify) -> None:
    """H.15: an unmodified file with neither text waits for an earlier fix; it is lost, not conflicting."""
    report = verify_in(solver, only_fix("return power(a, b);", "return power(b, a);"))

    assert report.paths("lost") == (b"solver.cpp",)


def test_deleted_tracked_file(solver: Repository, verify_in: Verify) -> None:
    """H.T11, H.16: a deleted tracked file is lost."""
    solver.remove("solver.cpp")

    assert verify_in(solver, only_fix("return a + b;", "return a * b;")).lost_files == (b"solver.cpp",)


def test_whole_file_deleted_on_purpose(solver: Repository, verify_in: Verify) -> None:
    """A fix that deletes everything a file has is applied once the file is gone."""
    solver.remove("solver.cpp")

    assert verify_in(solver, only_fix(SOLVER_OLD, "")).paths("applied") == (b"solver.cpp",)


def test_missing_new_file(solver: Repository, verify_in: Verify) -> None:
    """H.T13, H.17: a new file that is nowhere is missing and marked `REAPPLY: create`."""
    worked_and_reset(solver)
    solver.git("clean", "-fdq")

    report = verify_in(solver, HANDOFF)

    assert report.paths("missing_new_files") == (b"newfile.h",)
    assert "[REAPPLY: create] newfile.h" in compile_resume_prompt(HANDOFF, report)


def test_several_fixes_fold(solver: Repository, verify_in: Verify) -> None:
    """H.10: several fixes of a file are told one by one and fold to the worst: one applied, one lost, the file lost."""
    solver.write("solver.cpp", SOLVER_NEW)
    handoff = replace(
        HANDOFF,
        exact_fixes=(*HANDOFF.exact_fixes, fix(before="double solve(", after="float solve(", anchor="")),
        new_files=(),
    )

    report = verify_in(solver, handoff)

    assert [each.state for each in report.fixes] == ["applied", "lost"]
    assert report.lost_files == (b"solver.cpp",)


def test_exactly_one_bucket(solver: Repository, verify_in: Verify) -> None:
    """H.10: every file of a handoff is in exactly one list of the JSON report."""
    worked_and_reset(solver)
    solver.write("README.md", "# Solver\nIt multiplies.\n")
    handoff = replace(
        HANDOFF,
        exact_fixes=(
            *HANDOFF.exact_fixes,
            fix("README.md", anchor="# Solver", before="", after="It multiplies.\n"),
            fix("newfile.h", anchor="", before="", after="#pragma once\n"),
        ),
        new_files=(b"newfile.h", b"gone.h", b"README.md"),
    )

    document = report_json(verify_in(solver, handoff))
    listed = [path for bucket in BUCKETS for path in cast("list[str]", document[bucket])]

    assert sorted(listed) == sorted(["solver.cpp", "README.md", "newfile.h", "gone.h"])
    assert (document["applied"], document["untracked_survivors"]) == (["README.md"], ["newfile.h"])


def test_something_else_stands_there(solver: Repository, verify_in: Verify) -> None:
    """A folder or a link where a fix's file was is conflicting; what a link leads to is never looked at."""
    solver.remove("solver.cpp")
    (solver.root / "solver.cpp").symlink_to("/etc/hostname")

    assert verify_in(solver, only_fix("return a + b;", "return a * b;")).paths("conflicting") == (b"solver.cpp",)


def test_line_end_conversion(solver: Repository, verify_in: Verify) -> None:
    """A checkout with CRLF is not modified, and a fix written with LF is found in it."""
    solver.git("config", "core.autocrlf", "true")
    solver.write("solver.cpp", SOLVER_NEW.replace("\n", "\r\n"))
    applied = verify_in(solver, only_fix("return a + b;\n", "return a * b;\n"))
    solver.write("solver.cpp", SOLVER_OLD.replace("\n", "\r\n"))
    waiting = verify_in(solver, only_fix("return power(a);\n", "return power(b);\n"))

    assert applied.paths("applied") == (b"solver.cpp",)
    assert waiting.paths("lost") == (b"solver.cpp",)


def test_large_file_in_pointer_form(solver: Repository, verify_in: Verify) -> None:
    """A file that HEAD keeps as an LFS pointer to exactly its content is not modified."""
    content = b"weights = 1\n"
    digest = sha256(content).hexdigest()
    solver.write("weights", f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize 12\n")
    solver.commit("weights by pointer")
    solver.write("weights", content)

    report = verify_in(solver, only_fix("absent", "never there", file="weights", anchor=""))

    assert report.paths("lost") == (b"weights",)


def test_sha256(verify_in: Verify, solver: Repository) -> None:
    """A repository with sha256 ids is looked into like any other."""
    made = Repository.create(solver.root.parent / "sha256", "--object-format=sha256")
    made.write("solver.cpp", SOLVER_OLD)
    made.commit("add the solver")
    made.write("solver.cpp", SOLVER_NEW)
    made.git("stash", "push", "-q")

    assert verify_in(made, only_fix("return a + b;", "return a * b;")).paths("stashed") == (b"solver.cpp",)


def test_unborn(verify_in: Verify, solver: Repository) -> None:
    """Before the first commit there is no HEAD to compare with, and verifying still answers."""
    made = Repository.create(solver.root.parent / "unborn")
    made.write("newfile.h", "#pragma once\n")

    report = verify_in(made, HANDOFF)

    assert report.lost_files == (b"solver.cpp",)
    assert report.paths("untracked_survivors") == (b"newfile.h",)


def test_token_in_a_fix(solver: Repository, verify_in: Verify) -> None:
    """H.32: a fix that contains a token-like string is classified and shown byte for byte."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    handoff = only_fix("return a + b;", f'login("{token}"); return a * b;')
    lost = verify_in(solver, handoff)
    solver.write("solver.cpp", SOLVER_OLD.replace("return a + b;", f'login("{token}"); return a * b;'))

    assert lost.lost_files == (b"solver.cpp",)
    assert verify_in(solver, handoff).paths("applied") == (b"solver.cpp",)
    assert f'login("{token}"); return a * b;' in compile_resume_prompt(handoff, lost)
