"""The page on workspaces says what the code does, and the code what the page says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from kit.places import Places, local_transport

from unlost.facts.errors import UnlostError
from unlost.workspace.facts import Reason
from unlost.workspace.failures import RestoreReport, failure
from unlost.workspace.program import OLDEST
from unlost.workspace.script import receipts
from unlost.workspace.script.orders import parked_name, staging_name

PAGE = (Path(__file__).parents[2] / "docs/concepts/workspaces.md").read_text(encoding="utf-8")


def test_the_rule_is_written_down() -> None:
    """W.19: the page names the rule, every condition of the proof, and both receipts."""
    assert "this workspace's own retired allocation" in PAGE
    assert len(re.findall(r"^\d\. ", PAGE, re.MULTILINE)) == 7
    for name in (receipts.READY, receipts.RESTORED):
        assert f".unlost/{name.decode()}" in PAGE
    assert f"at most {receipts.LARGEST >> 10} KiB" in PAGE
    assert f"Python {OLDEST[0]}.{OLDEST[1]}" in PAGE
    for name in (staging_name(b"ROOT", "<identity>"), parked_name(b"ROOT", "<identity>")):
        assert f"`{name.decode()}`" in PAGE


@pytest.mark.parametrize("reason", get_args(Reason))
def test_every_reason_has_its_row_and_exit_code(reason: Reason) -> None:
    """W.18: each reason is one line with step, operation, exit, stage, reason, and ends with the page's code."""
    row = re.search(rf"^\| `{reason}` \|.*\| (\d+) \|$", PAGE, re.MULTILINE)
    assert row is not None
    report = RestoreReport(
        workspace="w-1",
        root="/work",
        epoch=3,
        identity="a" * 64,
        outcome="refused",
        step="sandbox_restore",
        exit=1,
        stage="inspect_root",
        reason=reason,
    )

    error = failure(report)

    assert isinstance(error, UnlostError)
    assert error.exit_code == int(row.group(1))
    line = f"workspace_restore_failed: step=sandbox_restore operation=restore exit=1 stage=inspect_root reason={reason}"
    assert error.message.startswith(line)
    facts = report.to_json()
    assert facts.pop("schema") == "unlost.restore_root/1"
    assert list(facts) == [
        *("workspace", "root", "epoch", "identity", "outcome", "replaced", "step", "operation", "exit", "stage"),
        "reason",
    ]


@pytest.mark.slow
def test_the_admitted_risks_are_as_the_page_says(tmp_path: Path) -> None:
    """W.21, W.22: writes after the final save go with the old root; a process in it sees a removed folder."""
    assert "**Writes after the final save.**" in PAGE
    assert "**A warm process.**" in PAGE
    places = Places.make(tmp_path / "machines", local_transport())
    places.repository()
    home, away = places.location("A"), places.location("B")
    places.prepare(home)
    places.save(home)
    places.restore(away, holder="child")
    places.save(away, holder="child")
    late, same = Path(home.root) / "late.txt", Path(home.root) / "parent.txt"
    late.write_text("written after the final save, outside any run\n")

    with late.open("a") as held, same.open("a") as warm:
        places.restore(home)
        held.write("into a removed file\n")
        warm.write("from a warm process\n")

    assert not late.exists(), "W.21: it was in no snapshot"
    assert same.read_text().endswith("from a warm process\n"), "the page says that unchanged files are the same files"
    places.close()
