"""One program run to its end, for code that travels alone: nothing here but `posix_spawn`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

_NULL: Final = os.fsencode(os.devnull)
_FIRST_FREE: Final = 3


def run_program(argv: tuple[str, ...], *, env: Mapping[str, str], lock: int, output: int | None = None) -> int:
    """Run a program by its absolute path in the present folder, wait, and return its exit code (negative: a signal).

    It reads nothing, says what it says to `output` (nobody when None), and keeps `lock` open: a lock that is held by
    that descriptor ends with the program, not with us.
    """
    said = (os.POSIX_SPAWN_OPEN, 1, _NULL, os.O_WRONLY, 0) if output is None else (os.POSIX_SPAWN_DUP2, output, 1)
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, _NULL, os.O_RDONLY, 0),
        said,
        (os.POSIX_SPAWN_OPEN, 2, _NULL, os.O_WRONLY, 0),
        # A descriptor copied onto itself would keep its mark to be closed.
        (os.POSIX_SPAWN_DUP2, lock, _FIRST_FREE if lock != _FIRST_FREE else _FIRST_FREE + 1),
    ]
    process = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
