"""Who a process is, and that a signal reaches nobody else."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator

import pytest

from unlost.host.shim import darwin
from unlost.host.shim.facts import Identity, Process
from unlost.host.shim.identity import identity_of, is_alive, is_same_boot, own_identity, signal_identity
from unlost.host.shim.machine import signal_exactly


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that sleeps."""
    process = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(300)"])
    yield process
    process.kill()
    process.wait()


def test_a_process_is_itself_and_no_other(sleeper: subprocess.Popen[bytes]) -> None:
    """Same pid, start, boot and pid namespace: alive; one of them different: somebody else."""
    known = identity_of(sleeper.pid)
    assert known is not None

    assert is_alive(known)
    for other in (
        known._replace(start=known.start + 1),
        known._replace(boot="id:another"),
        known._replace(boot=""),
        known._replace(space="pid:[1]"),
    ):
        assert not is_alive(other)
        assert not signal_identity(other, signal.SIGKILL)
    assert sleeper.poll() is None


def test_an_ended_process_is_not_alive(sleeper: subprocess.Popen[bytes]) -> None:
    """A zombie still has its pid and its start; it is not alive."""
    known = identity_of(sleeper.pid)
    sleeper.kill()
    os.waitid(os.P_PID, sleeper.pid, os.WEXITED | os.WNOWAIT)

    assert not is_alive(known)
    assert identity_of(sleeper.pid) is None


def test_a_signal_needs_the_start(sleeper: subprocess.Popen[bytes]) -> None:
    """A signal to a pid whose process started at another time is not sent; with the right start it is."""
    known = identity_of(sleeper.pid)
    assert known is not None

    assert not signal_exactly(sleeper.pid, known.start - 1, signal.SIGKILL)
    assert sleeper.poll() is None
    assert signal_exactly(sleeper.pid, known.start, signal.SIGKILL)
    assert sleeper.wait() == -signal.SIGKILL


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("id:a", "id:a", True),
        ("id:a", "id:b", False),
        ("btime:100", "btime:102", True),
        ("btime:100", "btime:103", False),
        ("btime:x", "btime:x", False),
        ("", "", False),
        ("btime:100", "id:a", False),
    ],
)
def test_names_of_a_boot(ours: str, theirs: str, same: bool) -> None:  # noqa: FBT001  (a column of the table above)
    """Boot times may drift by two seconds when the clock is set; an unknown boot is no boot."""
    assert is_same_boot(ours, theirs) is same


def test_own_identity_is_alive() -> None:
    """We know ourselves."""
    assert is_alive(own_identity())
    assert not is_alive(None)
    assert not is_alive(Identity(os.getpid(), -1, "", ""))


def test_macos_process_row() -> None:
    """A `struct proc_bsdinfo` of macOS is read field by field: parent, start in microseconds, zombie."""
    numbers = [0, 5, 0, 321, 123, *range(7)]
    block = struct.pack("<12I16s32s5Ii2Q", *numbers, b"zsh", b"zsh", 1, 2, 3, 4, 5, 0, 1_700_000_000, 42)

    assert len(block) == 136
    assert darwin.process_from(block) == Process(parent=123, start=1_700_000_000_000_042, ended=True)


def test_macos_environment() -> None:
    """A KERN_PROCARGS2 block of macOS gives the environment behind program path, padding and arguments."""
    block = struct.pack("<i", 2) + b"/bin/sh\0\0\0\0sh\0-c\0UNLOST_ATTEMPT=a-1\0HOME=/\0"

    assert darwin.variables_from(block)[:2] == [b"UNLOST_ATTEMPT=a-1", b"HOME=/"]
    assert darwin.variables_from(b"") == []
