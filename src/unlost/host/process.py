"""Run another program: a request, a running process, an outcome.

`posix_spawn` in place of `subprocess`: importing that module costs 20 ms, more than a whole capture of a small
repository. Every child leads a session of its own, so a signal from the terminal does not reach it and
`Running.stop` reaches all it started; it gets no descriptor but the standard three and those it is handed.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Mapping
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.records import dataclass
from unlost.host.pipes import Pipes, SpawnAction

Ladder = tuple[tuple[signal.Signals, float], ...]
"""Signals to climb through, each with the seconds of patience before the next."""

LADDER: Final[Ladder] = ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0))
OUTPUT_LIMIT: Final = 64 << 20
NOTHING: Final = "/dev/null"
_ASK_EVERY: Final = 0.02
# `posix_spawn` cannot change the folder, so a shell does; the folder is absolute, so CDPATH plays no part.
_IN_FOLDER: Final = 'cd -- "$0" || exit 126; exec "$@"'
RESTORED: Final = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python ignores; an ignored signal would stay ignored in a child."""


class NotStarted(UnlostError):
    """A program could not be started; nothing of it ran."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to run.

    `argv[0]` is searched in the request's own PATH when it holds no slash. `env` is the whole environment.
    `cwd` is an absolute folder, by default the present one.
    `stdin` is bytes to feed, the path of a file to read, or None for an empty one. `timeout` is in seconds.
    `output_limit` bounds stdout and stderr, each, in bytes: beyond it the middle is dropped.
    `inherit` are descriptors handed on under their own numbers. With `merge`, stderr goes where stdout goes.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str | None = None
    stdin: bytes | str | None = None
    timeout: float | None = None
    output_limit: int = OUTPUT_LIMIT
    inherit: tuple[int, ...] = ()
    merge: bool = False


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a process ended: `exit_code` is negative for the signal that killed it."""

    argv: tuple[str, ...]
    exit_code: int
    stdout: bytes
    stderr: bytes
    truncated: bool
    timed_out: bool
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether it ended by itself, in time, with exit code 0."""
        return self.exit_code == 0 and not self.timed_out


def run(request: Request, ladder: Ladder = LADDER) -> Outcome:
    """Start, feed, wait, collect. Raises NotStarted; every other end is an Outcome."""
    return start(request).finish(ladder)


def start(request: Request) -> Running:
    """Start a process, which the caller must `finish` or `stop`. Raises NotStarted."""
    program, argv = _command(request)
    feed = request.stdin if isinstance(request.stdin, bytes) else None
    pipes = Pipes(feed=feed, limit=request.output_limit, merge=request.merge)
    actions = pipes.actions(request.stdin if isinstance(request.stdin, str) else NOTHING)
    # To duplicate a descriptor onto itself clears its close-on-exec flag in the child alone.
    inherited: list[SpawnAction] = [(os.POSIX_SPAWN_DUP2, number, number) for number in request.inherit]
    try:
        pid = os.posix_spawn(
            program,
            argv,
            request.env,
            file_actions=actions + inherited,
            setsid=True,
            # A thread of ours may hold signals back; a child of it must hear them.
            setsigmask=(),
            setsigdef=RESTORED,
        )
    except OSError as error:
        pipes.close()
        raise NotStarted(f"{request.argv[0]} could not be started: {error.strerror}") from error
    finally:
        pipes.close_theirs()
    return Running(request, pid, pipes)


def find_program(name: str, path: str) -> str | None:
    """The absolute path of a program in a PATH, or None.

    A relative folder in PATH is passed over: what it names depends on where one stands.
    """
    for folder in path.split(os.pathsep):
        found = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(found) and os.access(found, os.X_OK):
            return found
    return None


def signal_group(group: int, number: signal.Signals) -> None:
    """Signal every process of a group; harmless when nobody is left of it."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        # Nobody is left, or (macOS) only zombies are.
        return


class Running:
    """A started process; `pid` is also the number of its group and session."""

    def __init__(self, request: Request, pid: int, pipes: Pipes) -> None:
        self.request = request
        self.pid = pid
        self._pipes = pipes
        self._started = time.monotonic()
        self._descriptor = _process_descriptor(pid)
        self._exit_code: int | None = None

    def finish(self, ladder: Ladder = LADDER) -> Outcome:
        """Wait for the end, at most the request's timeout, then stop it; nothing of its group outlives it."""
        limit = self.request.timeout
        deadline = None if limit is None else self._started + limit
        in_time = self._pipes.pump(deadline, self._descriptor, lambda: self.ended(0.0))
        if in_time:
            in_time = self.ended(None if deadline is None else deadline - time.monotonic())
        code = self.stop(ladder if not in_time else ())
        return Outcome(
            argv=self.request.argv,
            exit_code=code,
            stdout=self._pipes.stdout.kept(),
            stderr=self._pipes.stderr.kept(),
            truncated=bool(self._pipes.stdout.dropped or self._pipes.stderr.dropped),
            timed_out=not in_time,
            seconds=time.monotonic() - self._started,
        )

    def stop(self, ladder: Ladder = LADDER) -> int:
        """Signal the group, rung by rung, until the leader has ended; then kill what is left of it.

        Returns the leader's exit code, negative for a signal. Asked again, it only answers.
        """
        for number, patience in ladder:
            if self.ended(0.0):
                break
            signal_group(self.pid, number)
            if self.ended(patience):
                break
        # The leader is not reaped yet where there is a process descriptor, so the number is still this group's.
        signal_group(self.pid, signal.SIGKILL)
        code = self._reap()
        self._pipes.close()
        return code

    def ended(self, patience: float | None) -> bool:
        """Whether the leader ends within this many seconds (None: however long it takes)."""
        if self._exit_code is not None:
            return True
        if self._descriptor is not None:
            poll = select.poll()
            poll.register(self._descriptor, select.POLLIN)
            return bool(poll.poll(None if patience is None else max(0.0, patience) * 1000))
        deadline = None if patience is None else time.monotonic() + patience
        while not self._reaped_now():
            if deadline is not None and time.monotonic() >= deadline:
                return False
            time.sleep(_ASK_EVERY)
        return True

    def _reaped_now(self) -> bool:
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid:
            self._exit_code = os.waitstatus_to_exitcode(status)
        return bool(pid)

    def _reap(self) -> int:
        if self._exit_code is None:
            self._exit_code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
        return self._exit_code


def _process_descriptor(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where the system has none (macOS)."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def _command(request: Request) -> tuple[str, tuple[str, ...]]:
    """(program, argv) for `posix_spawn`. Raises NotStarted when there is no such program or folder."""
    name = request.argv[0]
    program = name if "/" in name else find_program(name, request.env.get("PATH", os.defpath))
    if program is None:
        raise NotStarted(f"{name} was not found in PATH")
    if request.cwd is None:
        return program, request.argv
    if not os.path.isabs(request.cwd) or not os.path.isdir(request.cwd):
        raise NotStarted(f"{name} was not started: its folder does not exist")
    located = os.path.join(request.cwd, program)
    if not os.access(located, os.X_OK):
        raise NotStarted(f"{name} could not be started: it does not exist or is not executable")
    return "/bin/sh", ("sh", "-c", _IN_FOLDER, request.cwd, program, *request.argv[1:])
