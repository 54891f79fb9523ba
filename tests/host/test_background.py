"""Programs that outlive us, logs that stay small, and a terminal that hangs up."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from unlost.host.background import start_in_background
from unlost.host.bounded_log import open_bounded_log
from unlost.host.hangups import Hangups
from unlost.host.process import NotStarted


def test_a_log_keeps_its_newer_half(tmp_path: Path) -> None:
    """A full log lets go of its older lines, whole ones only, whoever else appends to it; it is for its owner alone."""
    path = tmp_path / "log"
    with open_bounded_log(str(path), limit=1000) as log:
        for number in range(200):
            log.write(f"line {number}\n")
        assert path.stat().st_size <= 1000
        with path.open("a") as other:
            other.write("from elsewhere\n")
        log.write("last é\udcff\n")

    lines = path.read_text().splitlines()
    numbers = [int(line.removeprefix("line ")) for line in lines if line.startswith("line ")]
    assert numbers == list(range(numbers[0], 200))
    assert lines[-2:] == ["from elsewhere", "last é\\udcff"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_log_is_no_link(tmp_path: Path) -> None:
    """A link in the place of the log is not followed."""
    (tmp_path / "log").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="ymbolic"):
        open_bounded_log(str(tmp_path / "log"))


def test_a_background_program_has_a_session_and_no_terminal(tmp_path: Path) -> None:
    """It leads a session of its own, reads nothing, writes to the log, and hears SIGINT though we ignore it."""
    log = tmp_path / "log"
    script = (
        "import os, signal, sys; print(os.getsid(0) == os.getpid(), sys.stdin.read() == '');"
        "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler, flush=True); sys.exit(7)"
    )
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        started = start_in_background((sys.executable, "-c", script), dict(os.environ), str(log))
    finally:
        signal.signal(signal.SIGINT, before)

    assert started.exit_code(wait=True) == 7
    assert log.read_text() == "True True\nTrue\n"


def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    """A program that is not there is an error of ours, not of the system."""
    with pytest.raises(NotStarted):
        start_in_background((str(tmp_path / "missing"),), {}, str(tmp_path / "log"))


def test_a_hang_up_is_handed_over_once() -> None:
    """The first hang-up asks whoever takes over; further ones change nothing, also behind the block."""
    asked: list[str] = []

    def take_over() -> bool:
        asked.append("asked")
        return True

    before = signal.getsignal(signal.SIGHUP)
    try:
        with Hangups(take_over):
            os.kill(os.getpid(), signal.SIGHUP)
            os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)

    assert asked == ["asked"]


def test_who_ignores_hang_ups_keeps_that() -> None:
    """Below nohup nobody is asked."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Hangups(lambda: pytest.fail("nobody hung up")):
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
