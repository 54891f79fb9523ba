"""Autosaves while a command or an agent works: what came and went between two boundaries is still there."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest
from app.supervising import Bench
from kit.program import Program
from kit.repository import Repository

from unlost.app.autosaving import Autosaving
from unlost.facts.words import SnapshotKind
from unlost.host.clock import SystemClock
from unlost.snapshot.archive import Archive
from unlost.snapshot.facts import CaptureFailed, Snapshot

PASSING = """\
held() {
  for store in "$STORES"/*/store.git; do
    for snapshot in $(git --git-dir="$store" for-each-ref --format='%(objectname)' refs/snap); do
      git --git-dir="$store" ls-tree --name-only "$snapshot" passing.txt
    done
  done
}
printf 'one\\ntwo\\n' >passing.txt
tries=0
until [ -n "$(held)" ] || [ "$tries" -gt 600 ]; do sleep 0.05; tries=$((tries + 1)); done
rm passing.txt
"""
"""A script that makes a file, waits until a snapshot holds it, and removes the file again."""


def script(folder: Path) -> str:
    """The script with the place of this test's stores in it."""
    stores = os.path.join(os.environ["UNLOST_HOME"], "stores")
    file = folder / "passing.sh"
    file.write_text(f"STORES='{stores}'\n{PASSING}")
    return str(file)


@pytest.mark.slow
def test_what_passed_during_a_run_is_told_and_found(repository: Repository, program: Program, tmp_path: Path) -> None:
    """A file that a wrapped command made and removed is in `passing`, and comes back from its autosave."""
    report = tmp_path / "report.json"

    program("run", "--autosave", "1", "--report", str(report), "--", "sh", script(tmp_path))

    passing = json.loads(report.read_text())["check"]["passing"]
    assert [(each["path"], each["lines"]) for each in passing] == [("passing.txt", 2)]
    program("restore", "passing.txt", "--from", passing[0]["last_seen"]["snapshot"])
    assert repository.read("passing.txt") == b"one\ntwo\n"


class FullDisk(Archive):
    """An archive that can take no snapshot."""

    tried = threading.Event()

    def capture(self, *, kind: SnapshotKind = "boundary", label: str = "") -> Snapshot:
        self.tried.set()
        raise CaptureFailed("the disk is full")


def test_saves_that_failed_are_told(tmp_path: Path) -> None:
    """At the end of a run each problem of its autosaves is one sentence with how often it came."""
    told: list[str] = []
    archive = FullDisk(
        store_folder=str(tmp_path / "store"),
        workspace_folder=str(tmp_path / "workspace"),
        workspace="w-1",
        root=str(tmp_path),
        clock=SystemClock(),
    )

    with Autosaving(archive=archive, longest=0.0, clock=SystemClock()).during(told.append):
        (tmp_path / "a.txt").write_text("x")
        assert archive.tried.wait(120.0)

    assert len(told) == 1
    assert told[0].startswith("the tree could not be saved ")
    assert told[0].endswith(": the disk is full")


@pytest.mark.slow
def test_an_agents_tree_is_saved_while_it_works(bench: Bench, program: Program, tmp_path: Path) -> None:
    """What an attempt made and removed is in an autosave; the unit is done and nothing is lost."""
    work = bench.work({"a": f"sh {script(tmp_path)}; echo done >result.txt"})

    assert bench.run(work).phase == "done"

    rows = program("find", "passing.txt", "--json").json["found"]
    kinds = {row["snapshot"]: row["kind"] for row in program("snapshots", "--json").json["snapshots"]}
    assert {kinds[row["ref"]] for row in rows} == {"autosave"}


@pytest.mark.slow
def test_autosave_off_saves_nothing(program: Program, tmp_path: Path) -> None:
    """`[snapshot] autosave = "off"` in the settings turns autosaves off."""
    settings = Path(os.environ["HOME"]) / ".config" / "unlost" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[snapshot]\nautosave = "off"\n')

    program("run", "--", "sh", "-c", "echo x >a; sleep 3; rm a")

    assert {row["kind"] for row in program("snapshots", "--json").json["snapshots"]} <= {"boundary"}
