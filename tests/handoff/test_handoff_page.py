"""The page on handoffs, held to the program: its worked example is typed in and must answer as printed."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from kit.repository import Repository

from unlost.handoff.markers import MEANINGS
from unlost.handoff.report import LossReport, report_json
from unlost.handoff.schema import load_handoff

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "concepts" / "handoff.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    """The contents of the page's code blocks of one kind."""
    return re.findall(rf"^```{re.escape(kind)}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def transcript(text: str) -> list[tuple[str, str]]:
    """(command, what it prints) of a console block."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.slow
def test_worked_example(tmp_path: Path) -> None:
    """H.T18: the page's worked example, typed into a shell, prints what the page shows."""
    repository = Repository.create(tmp_path / "repository")
    (tmp_path / "handoff.json").write_text(blocks("json handoff.json")[0], encoding="utf-8")
    unlost = f'unlost() {{ {shlex.quote(sys.executable)} -m unlost "$@"; }}'

    for command, printed in (step for block in blocks("console") for step in transcript(block)):
        done = subprocess.run(
            ["sh", "-c", f"{unlost}\n{command}"],
            cwd=repository.root,
            env=os.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=240,
            check=False,
        )
        told = done.stdout + (f"[exit {done.returncode}]\n" if done.returncode else "")
        assert (command, told) == (command, printed.rstrip("\n") + "\n" if printed.strip() else "")


def test_example_is_a_handoff() -> None:
    """The example file on the page is a legal handoff that uses every section."""
    handoff = load_handoff(blocks("json handoff.json")[0])

    assert all((handoff.design_decisions, handoff.failing_tests, handoff.exact_fixes, handoff.new_files))


def test_every_state_and_marker_is_told() -> None:
    """The page tells every list of the report, and every marker of the prompt."""
    empty = report_json(LossReport(fixes=(), files=()))
    states = [name for name, value in empty.items() if value == [] and name not in ("fixes", "lost_files")]

    assert all(f"| {state} |" in PAGE for state in states)
    assert all(f"`{marker}`" in PAGE for marker in MEANINGS)
