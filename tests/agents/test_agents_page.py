"""docs/agents.md is made from the runs of `make test-all`: versions and rows are held to what is run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from unlost.agents import claude, codex, gemini, opencode

PROJECT = Path(__file__).resolve().parent.parent.parent
PAGE = (PROJECT / "docs" / "agents.md").read_text(encoding="utf-8")


def test_the_versions_are_those_that_are_installed() -> None:
    """The heads of the table, and what `unlost doctor` compares with, are the versions that the suite installs."""
    script = (PROJECT / "scripts" / "install_agents.sh").read_text(encoding="utf-8")
    installed = set(re.findall(r"(?:claude-code|codex|acp|opencode-ai|gemini-cli)@([\d.]+\d)", script))

    assert set(re.findall(r"(?:Claude Code|Codex|acp|opencode|Gemini CLI) (\d[\d.]+\d)", PAGE)) == installed
    assert {claude.TESTED, codex.TESTED, gemini.TESTED, opencode.TESTED} <= installed


def test_every_row_is_a_run_and_every_run_a_row() -> None:
    """Each row of the table names its test, and no test of the real agents is left out."""
    runs = ast.parse((PROJECT / "tests" / "agents" / "test_real_agents.py").read_text(encoding="utf-8"))
    tests = {each.name for each in ast.walk(runs) if isinstance(each, ast.FunctionDef) and each.name.startswith("test")}

    assert set(re.findall(r"`(test_\w+)`", PAGE)) == tests
