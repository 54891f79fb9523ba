"""What a restore would put back, and what it holds back: planned on real repositories, nothing written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from handoff.handoffs import SOLVER_NEW, SOLVER_OLD, fix, handoff_file
from handoff.looking import Look
from kit.repository import Repository

from unlost.handoff.facts import Handoff
from unlost.handoff.gate import gate_warning, held_back_lines
from unlost.handoff.report import LossReport
from unlost.handoff.restore import OBSTRUCTED, TOUCHES, UNDOES, RestorePlan
from unlost.handoff.schema import load_handoff

HANDOFF = replace(load_handoff(handoff_file()), new_files=())
LONG_OLD = SOLVER_OLD + "\n" * 3 + "// one\n// two\n// three\nint last;\n"
LONG_NEW = LONG_OLD.replace("a + b", "a * b")


def planned(repository: Repository, handoff: Handoff, tmp_path: Path) -> tuple[LossReport, RestorePlan]:
    with Look(repository, tmp_path / "scratch") as look:
        report = look.verify(handoff)
        return report, look.plan(handoff, report)


def stashed(repository: Repository, content: str) -> None:
    repository.write("solver.cpp", content)
    repository.git("stash", "push", "-q")


def test_clean_file(solver: Repository, tmp_path: Path) -> None:
    """H.26: an unmodified file gets the stashed content whole, and the stash is still there."""
    stashed(solver, SOLVER_NEW)

    report, plan = planned(solver, HANDOFF, tmp_path)

    assert [(each.path, each.content, each.merged) for each in plan.restorations] == [
        (b"solver.cpp", SOLVER_NEW.encode(), False)
    ]
    assert plan.held_back == ()
    assert gate_warning(report) == (
        "WARNING: recoverable work exists: 1 file(s); --restore brings it back; nothing was started"
    )
    assert solver.git("stash", "list") != ""
    assert solver.read("solver.cpp") == SOLVER_OLD.encode()


def test_other_changes_are_merged(solver: Repository, tmp_path: Path) -> None:
    """A file with other changes by now gets the kept lines merged in, and keeps its own."""
    solver.write("solver.cpp", LONG_OLD)
    solver.commit("longer")
    stashed(solver, LONG_NEW)
    solver.write("solver.cpp", LONG_OLD.replace("int last;", "long last;"))

    _, plan = planned(solver, HANDOFF, tmp_path)

    assert [(each.content, each.merged) for each in plan.restorations] == [
        (LONG_NEW.replace("int last;", "long last;").encode(), True)
    ]


def test_touching_changes_are_held_back(solver: Repository, tmp_path: Path) -> None:
    """A file whose present changes touch the same lines stays as it is, and is told."""
    stashed(solver, SOLVER_NEW)
    solver.write("solver.cpp", SOLVER_OLD.replace("return a + b;", "return a + b;  // sum"))

    _, plan = planned(solver, HANDOFF, tmp_path)

    assert plan.restorations == ()
    assert [each.reason for each in plan.held_back] == [TOUCHES]
    assert held_back_lines(plan.held_back) == (
        f"not restored: solver.cpp from stash@{{0}}: {TOUCHES}; nothing was overwritten",
    )


def test_two_places_for_one_file(solver: Repository, tmp_path: Path) -> None:
    """Two fixes of one file that two stashes hold are both put back, one merged onto the other."""
    solver.write("solver.cpp", LONG_OLD)
    solver.commit("longer")
    stashed(solver, LONG_NEW)
    stashed(solver, LONG_OLD.replace("int last;", "long last;"))
    handoff = replace(
        HANDOFF, exact_fixes=(*HANDOFF.exact_fixes, fix(anchor="// three", before="int last;", after="long last;"))
    )

    _, plan = planned(solver, handoff, tmp_path)

    assert [each.content for each in plan.restorations] == [LONG_NEW.replace("int last;", "long last;").encode()]
    assert [place.name for place in plan.restorations[0].places] == ["stash@{1}", "stash@{0}"]


def test_never_undoes_a_fix(solver: Repository, tmp_path: Path) -> None:
    """A kept version that lacks a fix which is committed by now is not put over it."""
    solver.write("solver.cpp", LONG_OLD)
    solver.commit("longer")
    stashed(solver, LONG_NEW)
    solver.write("solver.cpp", LONG_OLD.replace("int last;", "long last;"))
    solver.commit("widen")
    handoff = replace(
        HANDOFF, exact_fixes=(*HANDOFF.exact_fixes, fix(anchor="// three", before="int last;", after="long last;"))
    )

    _, plan = planned(solver, handoff, tmp_path)

    assert plan.restorations == ()
    assert [each.reason for each in plan.held_back] == [UNDOES]


def test_missing_file_and_new_file(solver: Repository, tmp_path: Path) -> None:
    """A deleted file and a new file from the untracked part of a stash are both put back."""
    solver.write("solver.cpp", SOLVER_NEW)
    solver.write("newfile.h", "#pragma once\n")
    solver.git("stash", "push", "-q", "-u")
    solver.remove("solver.cpp")

    _, plan = planned(solver, replace(HANDOFF, new_files=(b"newfile.h",)), tmp_path)

    assert {each.path: each.content for each in plan.restorations} == {
        b"solver.cpp": SOLVER_NEW.encode(),
        b"newfile.h": b"#pragma once\n",
    }


def test_obstructed_place(solver: Repository, tmp_path: Path) -> None:
    """A new file whose parent became something else is planned; a file whose own place is taken is held back."""
    solver.write("newfile.h", "#pragma once\n")
    solver.git("stash", "push", "-q", "-u")
    handoff = replace(HANDOFF, exact_fixes=(), new_files=(b"newfile.h",))
    with Look(solver, tmp_path / "scratch") as look:
        report = look.verify(handoff)
        (solver.root / "newfile.h").mkdir()
        plan = look.plan(handoff, report)

    assert plan.restorations == ()
    assert [each.reason for each in plan.held_back] == [OBSTRUCTED]


def test_nothing_recoverable(solver: Repository, tmp_path: Path) -> None:
    """H.27: without recoverable work there is no warning and nothing to restore; the prompt may be compiled."""
    report, plan = planned(solver, HANDOFF, tmp_path)

    assert gate_warning(report) is None
    assert (plan.restorations, plan.held_back) == ((), ())
