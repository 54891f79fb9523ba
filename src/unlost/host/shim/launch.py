"""The supervisor's end of a shim: start it, tell it, read it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import sys
from collections.abc import Iterator
from typing import Any, Final

from unlost.host.shim.facts import MARK, Spec, as_json
from unlost.host.shim.frames import Frame, FrameCutter

PROGRAM: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__main__.py")
ARGV: Final = (sys.executable, "-I", "-S", PROGRAM)
_CHUNK: Final = 256 << 10


class ShimNotStarted(Exception):
    """The shim's own interpreter could not be run; nothing runs."""


class ShimProcess:
    """A started shim. It waits for its spec; closing `tell`'s pipe makes it end everything by itself."""

    def __init__(self, pid: int, stdin: int, stdout: int) -> None:
        self.pid = pid
        self._stdin = stdin
        self._stdout = stdout
        self._cutter = FrameCutter()
        self._exit_code: int | None = None
        self.is_open = True

    def brief(self, spec: Spec) -> None:
        """Send the spec, which every shim waits for first."""
        self._send(as_json(spec) or {})

    def tell(self, do: str, **more: Any) -> None:
        """Send one command; that the shim is dead is noticed when reading, not here."""
        self._send({"do": do, **more})

    def frames(self, patience: float) -> Iterator[Frame]:
        """The frames that came within `patience` seconds, often none. At the end of the relay `is_open` is False."""
        poll = select.poll()
        poll.register(self._stdout, select.POLLIN)
        if not poll.poll(patience * 1000):
            return
        data = os.read(self._stdout, _CHUNK)
        if data:
            yield from self._cutter.feed(data)
        else:
            self.is_open = False

    def hang_up(self) -> None:
        """Close our end of the commands: the shim takes it for our death and ends everything."""
        if self._stdin >= 0:
            os.close(self._stdin)
            self._stdin = -1

    def leave(self) -> int:
        """Close our ends and wait until the shim, its keeper included, has gone; return its exit code."""
        if self._exit_code is None:
            self.hang_up()
            os.close(self._stdout)
            self._exit_code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._exit_code

    def _send(self, command: dict[str, Any]) -> None:
        data = memoryview(json.dumps(command).encode() + b"\n")
        with contextlib.suppress(BrokenPipeError):
            while data:
                data = data[os.write(self._stdin, data) :]


def start_shim(attempt: str, errors: str, *, argv: tuple[str, ...] = ARGV) -> ShimProcess:
    """Start a shim that bears the attempt's mark; `errors` is the file for its stderr. Raises ShimNotStarted.

    `posix_spawn` never forks a copy of the supervisor, which would hold the pipe open after its death.
    """
    stdin, our_stdin = os.pipe()
    our_stdout, stdout = os.pipe()
    try:
        pid = os.posix_spawn(
            argv[0],
            argv,
            {MARK: attempt},
            file_actions=(
                (os.POSIX_SPAWN_DUP2, stdin, 0),
                (os.POSIX_SPAWN_DUP2, stdout, 1),
                (os.POSIX_SPAWN_OPEN, 2, errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
            ),
        )
    except OSError as error:
        for end in (our_stdin, our_stdout):
            os.close(end)
        raise ShimNotStarted(f"{argv[0]}: {error.strerror}") from error
    finally:
        for end in (stdin, stdout):
            os.close(end)
    return ShimProcess(pid, our_stdin, our_stdout)
