"""Ordinary days: nothing is lost in any of them, so nothing may be called a loss."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from unlost.app.plain import Workspace
from unlost.guard.facts import Author, Rules
from unlost.guard.late_claims import tally_of
from unlost.plain.facts import Order, Recorded
from unlost.settings import read_settings

pytestmark = [pytest.mark.slow, pytest.mark.campaign]

DAYS = Path(__file__).parent / "days"


def days() -> list[Any]:
    """Every day as a test parameter."""
    rows = [row for file in sorted(DAYS.glob("*.toml")) for row in tomllib.loads(file.read_text())["day"]]
    return [pytest.param(row, id=row["name"].replace(" ", "-")) for row in rows]


def play(root: Path, script: str) -> None:
    """Run a part of a day in its repository."""
    done = subprocess.run(
        ["bash", "-c", f". '{DAYS / 'prelude.sh'}'\n{script}"], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with the project that every day begins with."""
    folder = tmp_path / "project"
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    play(folder, "project")
    return folder


def told(document: dict[str, Any]) -> dict[str, Any]:
    """What a check calls lost."""
    return {name: document[name] for name in ("lost", "lost_commits", "lost_stashes") if document[name]}


@pytest.mark.parametrize("day", days())
def test_a_day_without_a_plan(day: dict[str, Any], root: Path) -> None:
    """An ordinary day after a mark: check calls nothing lost, and neither does the next mark."""
    if "only_plan" in day:
        pytest.skip(day["only_plan"])
    play(root, day["before"])
    with Workspace.open(str(root), read_settings()) as workspace:
        workspace.mark()
    play(root, day["day"])
    with Workspace.open(str(root), read_settings()) as workspace:
        checked = workspace.check()
        marked = workspace.mark()

    assert told(checked.to_json()) == {}
    assert checked.exit_code == 0
    assert (marked.lost, marked.open_losses) == (0, 0)


@pytest.mark.parametrize("day", days())
def test_a_day_in_a_plan(day: dict[str, Any], root: Path) -> None:
    """An ordinary day as the second task of a plan: its closing boundary calls nothing lost of the first one's work."""
    if "only_plain" in day:
        pytest.skip(day["only_plain"])
    with Workspace.open(str(root), read_settings()) as workspace:
        workspace.mark()
        opening = boundary(workspace, Order(kind="admission", unit="u-1"))
        play(root, day["before"])
        first = Order(kind="after_task", unit="u-1", task="first", attempt="1", opened_by=opening.boundary.number)
        done = boundary(workspace, first, Rules(mode="unit", author=Author(task="first")))
        play(root, day["day"])
        second = Author(task="second", paths=tuple(day.get("paths", ())), reverts=tuple(day.get("reverts", ())))
        closing = boundary(
            workspace,
            Order(kind="after_task", unit="u-1", task="second", attempt="2", opened_by=done.boundary.number),
            Rules(mode="unit", author=second, guarded={"first": ("**",)}),
        )

    assert closing.proven is not None
    assert [(finding.path, finding.state) for finding in closing.proven.verdict.losses] == []
    assert closing.proven.verdict.committed.lost_commits == ()
    assert closing.proven.verdict.committed.lost_stashes == ()
    assert tally_of(closing.claims.by_path).open_losses == 0


def boundary(workspace: Workspace, order: Order, rules: Rules | None = None) -> Recorded:
    """Take a boundary of a unit."""
    boundaries = workspace.place.boundaries
    return boundaries.take(boundaries.archive.capture(kind="boundary"), order, rules)
