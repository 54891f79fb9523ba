"""What macOS tells about processes: libproc and sysctl.

There is no subreaper, no pidfd and no /proc. A process is identified by its start in microseconds; between looking
and signalling the pid could change hands, for a few microseconds. A daemon that leaves its parent between two looks
*and* drops its environment is not found: `unlost doctor` says so.
"""

from __future__ import annotations

import ctypes
import os
import struct
from typing import Final

from unlost.host.shim.facts import Process

_ALL_PIDS: Final = 1
_BSD_INFO: Final = 3
# struct proc_bsdinfo: flags, status, exit status, pid, ppid, six ids, reserved, comm[16], name[32], nfiles, pgid,
# pjobc, e_tdev, e_tpgid, nice, then the start as seconds and microseconds.
_BSD_LAYOUT: Final = struct.Struct("<12I16s32s5Ii2Q")
_ZOMBIE: Final = 5
_CTL_KERN: Final = 1
_KERN_PROCARGS2: Final = 49


def boot_name() -> str:
    """This boot: `id:UUID` of the kernel's boot session, else empty: nothing recorded is believed."""
    name = _sysctl_by_name(b"kern.bootsessionuuid").rstrip(b"\0")
    return "id:" + name.decode("ascii", "replace") if name else ""


def pid_space() -> str:
    """The pid namespace; macOS has one."""
    return "host"


def look_at(pid: int) -> Process | None:
    """The process that has this pid now, or None."""
    block = ctypes.create_string_buffer(_BSD_LAYOUT.size)
    if _library().proc_pidinfo(pid, _BSD_INFO, ctypes.c_uint64(1), block, len(block)) < _BSD_LAYOUT.size:
        return None
    return process_from(block.raw)


def process_from(block: bytes) -> Process:
    """The row that a `struct proc_bsdinfo` holds; `start` in microseconds since 1970."""
    fields = _BSD_LAYOUT.unpack(block)
    return Process(parent=fields[4], start=fields[-2] * 1_000_000 + fields[-1], ended=fields[1] == _ZOMBIE)


def every_pid() -> list[int]:
    """All pids that we may see."""
    library = _library()
    # Twice what is there now: the table may grow between the two calls.
    room = 2 * max(0, library.proc_listpids(_ALL_PIDS, 0, None, 0)) or 4096
    block = ctypes.create_string_buffer(room)
    used = max(0, library.proc_listpids(_ALL_PIDS, 0, block, room))
    return [pid for (pid,) in struct.iter_unpack("<i", block.raw[: used - used % 4]) if pid > 0]


def environment_of(pid: int) -> list[bytes]:
    """The variables a process was started with, as `NAME=value`; empty when we may not know."""
    block = _sysctl((_CTL_KERN, _KERN_PROCARGS2, pid))
    return variables_from(block)


def variables_from(block: bytes) -> list[bytes]:
    """The environment within a KERN_PROCARGS2 block: argc, the program's path, padding, argv, environment."""
    if len(block) < 4:
        return []
    (count,) = struct.unpack_from("<i", block)
    _, _, rest = block[4:].partition(b"\0")
    words = rest.lstrip(b"\0").split(b"\0")
    return words[count:]


def newest_pid() -> bytes | None:
    """The pid given out last: macOS does not tell."""
    return None


def signal_exactly(pid: int, start: int, number: int) -> bool:
    """Signal a process only if it is still the one that started at `start`; tell whether it was."""
    process = look_at(pid)
    if process is None or process.start != start:
        return False
    try:
        os.kill(pid, number)
    except OSError:
        return False
    return True


def end_of(pid: int) -> int | None:  # noqa: ARG001  (the same face as linux.py)
    """A descriptor that becomes readable when the process ends: macOS has none that can be polled."""
    return None


def adopt_orphans() -> bool:
    """Make every orphan below this process its child: macOS cannot."""
    return False


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends: macOS cannot."""


def _library() -> ctypes.CDLL:
    return ctypes.CDLL("/usr/lib/libSystem.dylib", use_errno=True)


def _sysctl(name: tuple[int, ...]) -> bytes:
    numbers = (ctypes.c_int * len(name))(*name)
    library = _library()
    size = ctypes.c_size_t(0)
    if library.sysctl(numbers, len(name), None, ctypes.byref(size), None, 0) != 0:
        return b""
    block = ctypes.create_string_buffer(size.value)
    if library.sysctl(numbers, len(name), block, ctypes.byref(size), None, 0) != 0:
        return b""
    return block.raw[: size.value]


def _sysctl_by_name(name: bytes) -> bytes:
    library = _library()
    block = ctypes.create_string_buffer(256)
    size = ctypes.c_size_t(len(block))
    if library.sysctlbyname(name, block, ctypes.byref(size), None, 0) != 0:
        return b""
    return block.raw[: size.value]
