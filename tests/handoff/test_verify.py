"""What verifying says of real repositories after every way of losing work that the source names."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import cast

from handoff.conftest import Verify
from handoff.handoffs import SOLVER_NEW, SOLVER_OLD, fix, handoff_file
from kit.repository import Repository

from unlost.handoff.facts import Handoff
from unlost.handoff.report import report_json
from unlost.handoff.resume_prompt import compile_resume_prompt
from unlost.handoff.schema import load_handoff

HANDOFF = load_handoff(handoff_file())
BUCKETS = (
    *("applied", "lost", "stashed", "dangling", "snapshot", "conflicting", "untracked_survivors", "missing_new_files"),
)


def only_fix(before: str, after: str, *, file: str = "solver.cpp", anchor: str = "double solve") -> Handoff:
    """A handoff with one fix and no new file."""
    return replace(HANDOFF, exact_fixes=(fix(file, anchor=anchor, before=before, after=after),), new_files=())


def worked_and_reset(repository: Repository) -> None:
    """The incident: edit, create, hit the cap, be reset."""
    repository.write("solver.cpp", SOLVER_NEW)
    repository.write("newfile.h", "#pragma once\n")
    repository.git("reset", "--hard", "-q")


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


def test_deleted_but_committed(solver: Repository, verify_in: Verify) -> None:
    """A deleted file whose fix HEAD has is recoverable from that commit."""
    solver.write("solver.cpp", SOLVER_NEW)
    commit = solver.commit("multiply")
    solver.remove("solver.cpp")

    report = verify_in(solver, only_fix("return a + b;", "return a * b;"))

    assert [each.where.name for each in report.fixes if each.where] == [commit]


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


def test_damaged_repository(solver: Repository, verify_in: Verify) -> None:
    """A stash whose objects are gone, or a torn index, is passed over; the answer still comes."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.git("stash", "push", "-q")
    stash = solver.git("rev-parse", "stash@{0}")
    (solver.root / ".git" / "objects" / stash[:2] / stash[2:]).unlink()
    (solver.root / ".git" / "index").write_bytes(b"torn")

    assert verify_in(solver, only_fix("return a + b;", "return a * b;")).paths("lost") in ((b"solver.cpp",), ())


def test_token_in_a_fix(solver: Repository, verify_in: Verify) -> None:
    """H.32: a fix that contains a token-like string is classified and shown byte for byte."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    handoff = only_fix("return a + b;", f'login("{token}"); return a * b;')
    lost = verify_in(solver, handoff)
    solver.write("solver.cpp", SOLVER_OLD.replace("return a + b;", f'login("{token}"); return a * b;'))

    assert lost.lost_files == (b"solver.cpp",)
    assert verify_in(solver, handoff).paths("applied") == (b"solver.cpp",)
    assert f'login("{token}"); return a * b;' in compile_resume_prompt(handoff, lost)
