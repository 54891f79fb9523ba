"""Start a program that outlives us: in a session of its own, without a terminal, its words in a log."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import Final

from unlost.facts.records import dataclass
from unlost.host.process import NOTHING, RESTORED, NotStarted

_LOG_FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
# What a shell lets a background job ignore must reach this one: it is stopped and interrupted like any other.
_HEARD: Final = (*RESTORED, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)


@dataclass(frozen=True, kw_only=True)
class BackgroundProcess:
    """A program that was started in the background by this process."""

    pid: int

    def exit_code(self, *, wait: bool = False) -> int | None:
        """How it ended, negative for a signal; None while it runs. Ask no more once it was told."""
        pid, status = os.waitpid(self.pid, 0 if wait else os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if pid else None


def start_in_background(argv: tuple[str, ...], environment: Mapping[str, str], log: str) -> BackgroundProcess:
    """Start a program that no hang-up of our terminal reaches; what it writes is appended to the file `log`.

    `argv[0]` is an absolute path. Raises NotStarted.
    """
    actions = (
        (os.POSIX_SPAWN_OPEN, 0, NOTHING, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, log, _LOG_FLAGS, 0o600),
        (os.POSIX_SPAWN_DUP2, 1, 2),
    )
    try:
        pid = os.posix_spawn(
            argv[0], argv, environment, file_actions=actions, setsid=True, setsigmask=(), setsigdef=_HEARD
        )
    except OSError as error:
        raise NotStarted(f"{argv[0]} could not be started: {error.strerror}") from error
    return BackgroundProcess(pid=pid)
