"""Autosave: when it is due (pure), and that it saves, survives failures and leaves on time."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest
from kit.ground import eventually

from unlost.host.clock import SystemClock
from unlost.snapshot import autosave
from unlost.snapshot.autosave import QUIET, Autosaver, Pace
from unlost.snapshot.facts import CaptureFailed


def test_a_quiet_tree_is_saved_after_two_seconds() -> None:
    """Changed and then quiet for two seconds is due; a moment earlier it is not."""
    pace = Pace(longest=60.0).changed(100.0)

    assert not pace.is_due(100.0 + QUIET - 0.1)
    assert pace.is_due(100.0 + QUIET)


def test_a_busy_tree_is_saved_every_minute() -> None:
    """Change that never pauses is saved once its oldest part is a minute old."""
    pace = Pace(longest=60.0)
    for second in range(60):
        pace = pace.changed(float(second))

    assert not pace.is_due(59.5)
    assert pace.is_due(60.0)


def test_nothing_is_due_without_a_change() -> None:
    """An unchanged tree is never saved, and a saved one is not saved again."""
    assert not Pace(longest=60.0).is_due(1e9)
    assert not Pace(longest=60.0).changed(0.0).saved().is_due(1e9)


def test_a_change_leads_to_a_save(tmp_path: Path) -> None:
    """A file that is written while the saver runs leads to a save by itself."""
    saved = threading.Event()
    with Autosaver(str(tmp_path), saved.set, longest=0.0, clock=SystemClock()) as saver:
        (tmp_path / "a.txt").write_text("x")
        assert saved.wait(120.0)

    assert saver.saves >= 1


def test_leaving_waits_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of what was watched over ends the saver at once, and what is unsaved then is left to the boundary."""
    clock = SystemClock()
    monkeypatch.setattr(autosave, "_LOOK_EVERY", 300.0)
    with Autosaver(str(tmp_path), lambda: None, longest=600.0, clock=clock) as saver:
        eventually(lambda: saver._watch)
        started = clock.monotonic()

    assert clock.monotonic() - started < 300.0
    assert saver.saves == 0


def test_signals_are_left_to_others(tmp_path: Path) -> None:
    """The saver's thread takes no signal, which the thread that waits for the command has to hear."""
    blocked: list[set[int]] = []
    asked = threading.Event()

    def ask() -> None:
        blocked.append(set(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
        asked.set()

    with Autosaver(str(tmp_path), ask, longest=0.0, clock=SystemClock()):
        (tmp_path / "a.txt").write_text("x")
        assert asked.wait(120.0)

    assert {signal.SIGTERM, signal.SIGHUP, signal.SIGINT} <= blocked[0]


def test_a_failed_save_disturbs_nothing(tmp_path: Path) -> None:
    """A failing capture is counted by its message and the saver goes on."""
    tried = threading.Event()

    def fail() -> None:
        tried.set()
        raise CaptureFailed("the disk is full")

    with Autosaver(str(tmp_path), fail, longest=0.0, clock=SystemClock()) as saver:
        (tmp_path / "a.txt").write_text("x")
        assert tried.wait(120.0)

    assert list(saver.failures) == ["the disk is full"]
    assert saver.saves == 0
