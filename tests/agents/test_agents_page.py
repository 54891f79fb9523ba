"""docs/agents.md is made from the runs of `make test-all`: versions, rows and cells are held to what is run."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

from kit.agents_table import ROWS

from unlost.agents import claude, codex, gemini, opencode

PROJECT = Path(__file__).resolve().parent.parent.parent
SCRIPT = PROJECT / "scripts" / "make_agents_table.py"


def test_the_table_is_what_the_runs_assert() -> None:
    """Heads are the versions that the suite installs, cells what the tests of the real agents ask of each."""
    checked = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stderr


def test_the_versions_are_those_that_doctor_names() -> None:
    """What `unlost doctor` compares with is what the suite installs."""
    script = (PROJECT / "scripts" / "install_agents.sh").read_text(encoding="utf-8")

    for module in (claude, codex, gemini, opencode):
        assert f"{module.PACKAGE}@{module.TESTED}" in script


def test_every_row_is_a_run_and_every_run_a_row() -> None:
    """Each row of the table names its test, and no test of the real agents is left out."""
    runs = ast.parse((PROJECT / "tests" / "agents" / "test_real_agents.py").read_text(encoding="utf-8"))
    tests = {each.name for each in ast.walk(runs) if isinstance(each, ast.FunctionDef) and each.name.startswith("test")}

    assert {f"test_{row.test}" for row in ROWS} == tests
