"""Run a program in our place: its terminal, its process group, its signals, its exit code; nothing between.

The child stays in our process group, so the kernel gives Ctrl-C, a quit and window changes to it directly, and a
full-screen program keeps its terminal. We do nothing at what the keyboard sends, and stop only after the child has
really stopped: an editor puts its screen in order first.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Final

from unlost.facts.records import dataclass

_Handler = Callable[[int, FrameType | None], object] | int | None

_KEYBOARD: Final = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU)
_FORWARDED: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
_MISSING: Final = 127
_NOT_EXECUTABLE: Final = 126
_SIGNALLED: Final = 128


@dataclass(frozen=True, kw_only=True)
class ForegroundEnd:
    """How a program in the foreground ended.

    `code` is what a shell would show: its own, 126, 127, or 128 and the number of the signal. `signal` is that
    number, None when it ended by itself. `problem` says why it could not be started.
    """

    code: int
    signal: int | None = None
    problem: str | None = None


def run_in_foreground(argv: tuple[str, ...], environment: Mapping[str, str]) -> ForegroundEnd:
    """Start a program, attend to it until it ends, and return how. Call it from the main thread."""
    with contextlib.ExitStack() as before:
        for number in _KEYBOARD:
            before.enter_context(_handled(number, _do_nothing))
        # What is to be forwarded waits until there is somebody to forward it to.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
        before.callback(signal.pthread_sigmask, signal.SIG_SETMASK, mask)
        try:
            # exec resets our handlers and keeps what was ignored before us (nohup); only Python's own two are put back.
            child = os.posix_spawnp(
                argv[0], argv, environment, setsigmask=mask, setsigdef=(signal.SIGPIPE, signal.SIGXFSZ)
            )
        except FileNotFoundError as error:
            return ForegroundEnd(code=_MISSING, problem=f"{argv[0]}: {error.strerror}")
        except OSError as error:
            return ForegroundEnd(code=_NOT_EXECUTABLE, problem=f"{argv[0]}: {error.strerror}")
        for number in _FORWARDED:
            before.enter_context(_handled(number, lambda got, _: _signal_child(child, got)))
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        code = os.waitstatus_to_exitcode(_attend(child))
    return ForegroundEnd(code=code) if code >= 0 else ForegroundEnd(code=_SIGNALLED - code, signal=-code)


def die_of_interrupt() -> None:
    """End this process by SIGINT. A shell loop goes on after `exit 130`, and ends when its child dies of Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)


def _attend(child: int) -> int:
    """Wait for the child's end; stop when it stops, wake it when we are woken. Returns its wait status."""
    while True:
        _, status = os.waitpid(child, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            return status
        # The shell takes the terminal back now; `fg` and `bg` wake us behind this line.
        _stop_like(os.WSTOPSIG(status))
        _signal_child(child, signal.SIGCONT)


def _stop_like(number: int) -> None:
    """Stop by the child's own stop signal, so that the shell shows what it shows without us."""
    if number == signal.SIGSTOP:
        os.kill(os.getpid(), number)
        return
    with _handled(number, signal.SIG_DFL):
        os.kill(os.getpid(), number)


@contextlib.contextmanager
def _handled(number: int, handler: _Handler) -> Iterator[None]:
    """A signal's handler for a while; one that is ignored stays so: whoever ignored it (nohup) meant us too."""
    before = signal.getsignal(number)
    if before == signal.SIG_IGN:
        yield
        return
    signal.signal(number, handler)
    try:
        yield
    finally:
        # None: somebody set it outside Python, where it cannot be put back from.
        signal.signal(number, signal.SIG_DFL if before is None else before)


def _do_nothing(number: int, frame: FrameType | None) -> None:
    """A handler, not SIG_IGN, which the child would inherit."""


def _signal_child(child: int, number: int) -> None:
    """The child is not reaped yet, so the pid is its own."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, number)
