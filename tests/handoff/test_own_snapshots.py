"""unlost's own snapshots as a place that keeps a handoff's work, and the whole way of an attempt that was reset."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from handoff.handoffs import SOLVER_NEW, SOLVER_OLD, handoff_file, only_fix
from kit.hand_clock import HandClock
from kit.repository import Repository

from unlost.app.handoffs import Handoffs
from unlost.facts.errors import UnlostBug
from unlost.git.repository import discover
from unlost.handoff.derive import DERIVED, Ended
from unlost.handoff.own_snapshots import OwnSnapshots
from unlost.handoff.schema import load_handoff
from unlost.host.ids import new_id
from unlost.settings import Settings, read_settings
from unlost.snapshot.archive import Archive
from unlost.snapshot.identity import register
from unlost.snapshot.registry import store_folder
from unlost.snapshot.whereabouts import workspace_folder

HANDOFF = load_handoff(handoff_file())


@pytest.fixture
def settings() -> Settings:
    return read_settings()


@pytest.fixture
def archive(solver: Repository, settings: Settings) -> Archive:
    """The archive of the incident's repository, registered."""
    clock = HandClock()
    Path(settings.home).mkdir(parents=True, exist_ok=True)
    identity = register(settings.home, discover(str(solver.root)), clock, new_id)
    return Archive(
        store_folder=store_folder(settings.home, identity),
        workspace_folder=workspace_folder(settings.home, identity.workspace),
        workspace=identity.workspace,
        root=identity.root,
        clock=clock,
    )


def test_newest_first(solver: Repository, archive: Archive) -> None:
    """Every version that a snapshot holds is named once, the newest first; ignored files count too."""
    solver.write(".gitignore", "notes.txt\n")
    solver.write("notes.txt", "mine\n")
    first = archive.capture()
    solver.write("solver.cpp", SOLVER_NEW)
    second = archive.capture()
    solver.remove("solver.cpp")
    archive.capture()

    held = list(OwnSnapshots(archive).held({b"solver.cpp", b"notes.txt"}))

    assert [(each.path, each.place.name) for each in held if each.path == b"solver.cpp"] == [
        (b"solver.cpp", second.id),
        (b"solver.cpp", first.id),
    ]
    assert b"notes.txt" in {each.path for each in held}


def test_snapshot_before_stash(solver: Repository, archive: Archive, settings: Settings) -> None:
    """Decision 8: where both hold the fix, the snapshot is named: it is unlost's own and cannot be dropped."""
    solver.write("solver.cpp", SOLVER_NEW)
    archive.capture()
    solver.git("stash", "push", "-q")

    with Handoffs.open(str(solver.root), settings) as handoffs:
        report = handoffs.verify(only_fix("return a + b;", "return a * b;"))

    assert report.paths("snapshot") == (b"solver.cpp",)
    assert report.context.dangling == ()


def test_snapshot_without_the_fix(solver: Repository, archive: Archive, settings: Settings) -> None:
    """A snapshot that lacks the fix is no place for it."""
    archive.capture()

    with Handoffs.open(str(solver.root), settings) as handoffs:
        report = handoffs.verify(only_fix("return a + b;", "return a * b;"))

    assert report.lost_files == (b"solver.cpp",)


def test_attempt_without_a_handoff(solver: Repository, archive: Archive, settings: Settings) -> None:
    """H.3, H.26: an attempt that left no handoff gets one from its trees, and its reset work comes back."""
    opening = archive.capture()
    solver.write("solver.cpp", SOLVER_NEW)
    solver.write("newfile.h", "#pragma once\n")
    closing = archive.capture(kind="autosave")
    solver.git("reset", "--hard", "-q")
    solver.git("clean", "-fdq")

    with Handoffs.open(str(solver.root), settings) as handoffs:
        origin = handoffs.of_attempt(
            None, Ended(task="multiply", iteration_cap=7), opening=opening.tree, closing=closing.tree
        )
        gated = handoffs.resume(origin.handoff, bring_back=False)
        resumed = handoffs.resume(origin.handoff, bring_back=True, done="Definition of done: the tree")

    assert (origin.source, origin.handoff.notes) == ("derived", DERIVED)
    assert (gated.prompt, gated.exit_code) == (None, 3)
    assert resumed.brought.restored == (b"newfile.h", b"solver.cpp")
    assert solver.read("solver.cpp") == SOLVER_NEW.encode()
    assert resumed.prompt is not None
    assert "its cap of 7 iterations" in resumed.prompt
    assert resumed.prompt.endswith("\nDefinition of done: the tree\n")


def test_attempt_where_nothing_was_captured(solver: Repository, settings: Settings) -> None:
    """An attempt's handoff needs its workspace: where nothing was captured the question is a bug."""
    with Handoffs.open(str(solver.root), settings) as handoffs, pytest.raises(UnlostBug):
        handoffs.of_attempt(None, Ended(task="t"), opening="0" * 40, closing="0" * 40)


def test_executable_bit_comes_back(solver: Repository, archive: Archive, settings: Settings) -> None:
    """H.26: a new script comes back with its exec bit."""
    solver.write("run.sh", "#!/bin/sh\n", executable=True)
    archive.capture()
    solver.remove("run.sh")
    handoff = replace(HANDOFF, exact_fixes=(), new_files=(b"run.sh",))

    with Handoffs.open(str(solver.root), settings) as handoffs:
        assert handoffs.resume(handoff, bring_back=True).exit_code == 0

    assert (solver.root / "run.sh").stat().st_mode & 0o100
    assert solver.read("solver.cpp") == SOLVER_OLD.encode()
