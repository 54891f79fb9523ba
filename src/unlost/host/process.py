"""Run another program: a request, a running process, an outcome. The only place of unlost that creates processes.

`posix_spawn` in place of `subprocess`: importing that module costs 20 ms, more than a whole capture of a small
repository. Every child leads a session of its own, so a signal from the terminal does not reach it and
`Running.stop` reaches all it started; it gets no descriptor but the three standard ones and those it is handed.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.host.collecting import Collector

Ladder = tuple[tuple[signal.Signals, float], ...]
"""Signals to climb through, each with the seconds of patience before the next."""

LADDER: Final[Ladder] = ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0))
OUTPUT_LIMIT: Final = 64 << 20
_PIECE: Final = 1 << 20
# Without a pidfd (macOS, old kernels) an ended leader is noticed by asking this often.
_ASK_EVERY: Final = 0.05
# `posix_spawn` cannot change the folder, so a shell does; it is absolute, so CDPATH plays no part.
_IN_FOLDER: Final = 'cd -- "$0" || exit 126; exec "$@"'
# Python ignores these two, and an ignored signal stays ignored in a child.
_RESTORED: Final = (signal.SIGPIPE, signal.SIGXFSZ)


class NotStarted(UnlostError):
    """A program could not be started; nothing of it ran."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What to run.

    `argv[0]` is searched in the request's own PATH when it holds no slash. `env` is the whole environment.
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
    """How a process ended: `exit_code` is negative for the signal that killed it; output in bytes."""

    argv: tuple[str, ...]
    exit_code: int
    stdout: bytes
    stderr: bytes
    truncated: bool
    timed_out: bool
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with 0 and in time."""
        return self.exit_code == 0 and not self.timed_out


def run(request: Request) -> Outcome:
    """Start, feed, wait, collect. Raises NotStarted; every other end is an Outcome."""
    return start(request).finish()


def start(request: Request) -> Running:
    """Start a process; the caller must `finish` or `stop` it. Raises NotStarted."""
    program, argv = _command(request)
    pipes = _Pipes.open(feed=isinstance(request.stdin, bytes), merge=request.merge)
    try:
        pid = os.posix_spawn(
            program,
            argv,
            request.env,
            file_actions=pipes.actions(request),
            setsid=True,
            setsigdef=_RESTORED,
        )
    except OSError as error:
        pipes.close_ours()
        raise NotStarted(f"{request.argv[0]} could not be started: {error.strerror}") from error
    finally:
        pipes.close_theirs()
    return Running(request, pid, pipes)


def find_program(name: str, path: str) -> str | None:
    """The absolute path of a program in a PATH of absolute folders; None when no folder has it.

    A relative folder in PATH is passed over: what it names depends on where one stands.
    """
    for folder in path.split(os.pathsep):
        found = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(found) and os.access(found, os.X_OK):
            return found
    return None


class Running:
    """A started process: its pid (also its group), and two ways to its end: `finish` and `stop`."""

    def __init__(self, request: Request, pid: int, pipes: _Pipes) -> None:
        self.request = request
        self.pid = pid
        self._pipes = pipes
        self._started = time.monotonic()
        self._exit_code: int | None = None
        self._collected = {
            descriptor: Collector(request.output_limit)
            for descriptor in (pipes.stdout, pipes.stderr)
            if descriptor is not None
        }

    def finish(self) -> Outcome:
        """Wait for the end, at most the request's timeout, then stop it; nothing of its group outlives it."""
        in_time = self._converse()
        if not in_time:
            self.stop()
        self._reap()
        return self._outcome(timed_out=not in_time)

    def stop(self, ladder: Ladder = LADDER) -> None:
        """Signal the whole group, rung by rung, until the leader has ended; harmless when it already has."""
        for number, patience in ladder:
            if self._exit_code is not None or self._ended(0.0):
                break
            self._signal(number)
            if self._ended(patience):
                break
        self._reap()

    def _converse(self) -> bool:
        """Feed and read until the process is done; False when time ran out first."""
        limit = self.request.timeout
        deadline = None if limit is None else self._started + limit
        with _Watch(self.pid, self._collected, self._pipes.stdin) as watch:
            feed = memoryview(self.request.stdin) if isinstance(self.request.stdin, bytes) else memoryview(b"")
            while watch.open_ends:
                left = None if deadline is None else deadline - time.monotonic()
                if left is not None and left <= 0:
                    return False
                for descriptor in watch.ready(left):
                    if descriptor == self._pipes.stdin:
                        feed = self._feed(watch, feed)
                    elif not _read_once(descriptor, self._collected[descriptor]):
                        watch.forget(descriptor)
                if watch.leader_ended:
                    # What still holds the pipes is not the program that was asked for.
                    for descriptor in tuple(watch.open_ends):
                        _drain(descriptor, self._collected.get(descriptor))
                    return True
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            return self._ended(left)

    def _feed(self, watch: _Watch, feed: memoryview) -> memoryview:
        """Write what fits; close the pipe at the end, or when nobody reads it any more."""
        descriptor = self._pipes.stdin
        assert descriptor is not None
        try:
            feed = feed[os.write(descriptor, feed[:_PIECE]) :] if feed else feed
        except BlockingIOError:
            return feed
        except BrokenPipeError:
            feed = memoryview(b"")
        if not feed:
            watch.forget(descriptor)
            os.close(descriptor)
            self._pipes.stdin = None
        return feed

    def _ended(self, patience: float | None) -> bool:
        """Whether the leader ends within this many seconds; it stays a zombie, so its number is not reused."""
        if self._exit_code is not None:
            return True
        deadline = None if patience is None else time.monotonic() + patience
        pause = 0.001
        while not _is_zombie(self.pid):
            if deadline is not None and time.monotonic() >= deadline:
                return False
            time.sleep(pause)
            pause = min(pause * 2, _ASK_EVERY)
        return True

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            # Gone, or (macOS) only zombies are left in the group.
            return

    def _reap(self) -> None:
        """Kill what is left of the group, then take the leader's exit code; the group's number is still ours."""
        if self._exit_code is not None:
            return
        self._signal(signal.SIGKILL)
        self._exit_code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        self._pipes.close_ours()

    def _outcome(self, *, timed_out: bool) -> Outcome:
        assert self._exit_code is not None
        collected = [self._collected[d] if d in self._collected else Collector(0) for d in self._pipes.names]
        return Outcome(
            argv=self.request.argv,
            exit_code=self._exit_code,
            stdout=collected[0].kept(),
            stderr=collected[1].kept() if len(collected) > 1 else b"",
            truncated=any(collector.dropped for collector in collected),
            timed_out=timed_out,
            seconds=time.monotonic() - self._started,
        )
