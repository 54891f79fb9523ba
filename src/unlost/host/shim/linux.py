"""What Linux tells about processes: /proc, pidfd, the subreaper."""

from __future__ import annotations

import ctypes
import os
import signal
from typing import Final

from unlost.host.shim.facts import Process

_SET_DEATH_SIGNAL: Final = 1
_SET_CHILD_SUBREAPER: Final = 36


def boot_name() -> str:
    """This boot: `id:UUID`, else `btime:SECONDS` where a container hides that, else empty: nothing is believed."""
    if text := _read("/proc/sys/kernel/random/boot_id").strip():
        return "id:" + text.decode("ascii", "replace")
    for line in _read("/proc/stat").splitlines():
        if line.startswith(b"btime "):
            return "btime:" + line.split()[1].decode("ascii", "replace")
    return ""


def pid_space() -> str:
    """The pid namespace: a pid of another container means nothing here."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return "host"


def look_at(pid: int) -> Process | None:
    """The process that has this pid now, or None."""
    # The command's name stands in parentheses and may hold anything, parentheses too.
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    if len(fields) < 20:
        return None
    return Process(parent=int(fields[1]), start=int(fields[19]), ended=fields[0] in b"ZX")


def every_pid() -> list[int]:
    """All pids that we may see."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def environment_of(pid: int) -> list[bytes]:
    """The variables a process was started with, as `NAME=value`; empty when we may not know."""
    return _read(f"/proc/{pid}/environ").split(b"\0")


def newest_pid() -> bytes | None:
    """The pid given out last; unchanged over a scan, it means that nobody forked meanwhile. None: not known."""
    fields = _read("/proc/loadavg").split()
    return fields[-1] if fields else None


def signal_exactly(pid: int, start: int, number: int) -> bool:
    """Signal a process only if it is still the one that started at `start`; tell whether it was.

    The handle is taken first, then the start is compared: whatever takes over the pid afterwards is not hit.
    """
    try:
        handle = os.pidfd_open(pid)
    except OSError:
        return False
    try:
        process = look_at(pid)
        if process is None or process.start != start:
            return False
        signal.pidfd_send_signal(handle, number)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def end_of(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None when it has ended or there is no such thing."""
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def adopt_orphans() -> bool:
    """Make every orphan below this process its child, so that `waitpid` is exact; False where that cannot be."""
    return bool(ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


def die_with_parent() -> None:
    """Ask the kernel to kill this process when the thread that made it ends."""
    ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
