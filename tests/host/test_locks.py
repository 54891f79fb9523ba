"""The lock between processes."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from unlost.facts.errors import TryLater, UnlostBug
from unlost.host.locks import FileLock
from unlost.host.process import Request, start


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    """A held lock is refused to a second taker, within one process as well, until it is released."""
    path = str(tmp_path / "lock")
    first, second = FileLock(path), FileLock(path)
    with first:
        assert first.held
        with pytest.raises(TryLater):
            second.acquire(wait=0.0)
        with pytest.raises(TryLater):
            second.acquire(wait=0.05)
    second.acquire(wait=0.0)
    second.release()
    second.release()

    assert not first.held


def test_looks_disturb_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who looks whether a lock is held is in nobody's way: another look sees it free, and a taker waits for it."""
    path = str(tmp_path / "lock")
    looking = os.open(path, os.O_RDWR | os.O_CREAT)
    fcntl.flock(looking, fcntl.LOCK_SH)
    naps: list[float] = []

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 3:
            os.close(looking)

    assert not FileLock(path).is_held_elsewhere()
    with monkeypatch.context() as patched:
        patched.setattr(time, "sleep", nap)
        taker = FileLock(path)
        taker.acquire(wait=0.0)

    assert len(naps) == 3
    assert FileLock(path).is_held_elsewhere()
    taker.release()
    assert not FileLock(path).is_held_elsewhere()


def test_misuse_is_a_bug(tmp_path: Path) -> None:
    """Taking a lock twice, or handing out the descriptor of one that is not held, is our own mistake."""
    lock = FileLock(str(tmp_path / "lock"))
    with pytest.raises(UnlostBug):
        _ = lock.descriptor
    with lock, pytest.raises(UnlostBug):
        lock.acquire()


def test_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    """The system frees a lock when its holder is killed."""
    path = str(tmp_path / "lock")
    code = (
        "import sys\n"
        "from unlost.host.locks import FileLock\n"
        "FileLock(sys.argv[1]).acquire()\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(TryLater):
        FileLock(path).acquire(wait=0.0)
    holder.send_signal(signal.SIGKILL)
    holder.communicate()

    FileLock(path).acquire(wait=120.0)


def test_child_that_inherits_keeps_the_lock(tmp_path: Path) -> None:
    """A lock stays held while a child that was handed the descriptor lives, though its taker let go."""
    path = str(tmp_path / "lock")
    with FileLock(path) as lock:
        child = start(Request(argv=("/bin/sleep", "600"), env={}, inherit=(lock.descriptor,)))
    with pytest.raises(TryLater):
        FileLock(path).acquire(wait=0.0)
    child.stop()

    FileLock(path).acquire(wait=120.0)


def test_lock_file_that_is_a_link_is_refused(tmp_path: Path) -> None:
    """A link in the place of the lock file leads nowhere."""
    (tmp_path / "lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        FileLock(str(tmp_path / "lock")).acquire(wait=0.0)

    assert not (tmp_path / "elsewhere").exists()
