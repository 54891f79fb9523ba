"""Handoffs for tests, in the shape a worker writes them."""

from __future__ import annotations

import json
from typing import Any

from kit.repository import Repository

from unlost.handoff.facts import ExactFix, Handoff

SOLVER_OLD = "double solve(double a, double b) {\n    return a + b;\n}\n"
SOLVER_NEW = "double solve(double a, double b) {\n    return a * b;\n}\n"


def fix(file: str = "solver.cpp", *, anchor: str = "double solve", before: str, after: str) -> ExactFix:
    return ExactFix(file=file.encode("utf-8", "surrogateescape"), anchor=anchor, before=before, after=after)


def fix_object(file: str = "solver.cpp", **texts: str) -> dict[str, Any]:
    """The fix of the incident, or another one."""
    plain = {"anchor": "double solve", "before": "return a + b;", "after": "return a * b;"}
    return {"file": file, **plain, **texts}


def handoff_object(**parts: Any) -> dict[str, Any]:
    """A whole handoff; `parts` replace or add keys."""
    return {
        "schema": "unlost.handoff/1",
        "task": "make the solver multiply",
        "iteration_cap": 200,
        "design_decisions": [{"decision": "keep the signature", "reason": "callers depend on it"}],
        "failing_tests": [{"test": "test_solver", "expected": "6", "observed": "5"}],
        "exact_fixes": [fix_object()],
        "new_files": ["newfile.h"],
        "remaining_steps": ["include newfile.h", "run the tests"],
        "source": "handoff",
        **parts,
    }


def handoff_file(**parts: Any) -> bytes:
    """The same as the bytes of a file."""
    return json.dumps(handoff_object(**parts)).encode()


def only_fix(before: str, after: str, *, file: str = "solver.cpp", anchor: str = "double solve") -> Handoff:
    """A handoff with one fix and no new file."""
    return Handoff(task="make the solver multiply", exact_fixes=(fix(file, anchor=anchor, before=before, after=after),))


def worked_and_reset(repository: Repository) -> None:
    """The incident: edit, create, hit the cap, be reset."""
    repository.write("solver.cpp", SOLVER_NEW)
    repository.write("newfile.h", "#pragma once\n")
    repository.git("reset", "--hard", "-q")
