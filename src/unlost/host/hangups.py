"""A hang-up of the terminal as a fact to act on: the run goes on without it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Self, TextIO

from unlost.host.process import NOTHING


class Hangups:
    """While entered, SIGHUP asks `leave`, which says whether somebody took over the terminal's place.

    When nobody did, the process ends as it would have. Whoever let SIGHUP be ignored (nohup) keeps that. Enter it in
    the main thread.
    """

    def __init__(self, leave: Callable[[], bool]) -> None:
        self._leave = leave
        self._has_left = False

    def __enter__(self) -> Self:
        self._before = signal.getsignal(signal.SIGHUP)
        if self._before != signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self._hung_up)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # After a hang-up the handler stays: the last words of this process are for the log, and more may come.
        if self._before != signal.SIG_IGN and not self._has_left:
            signal.signal(signal.SIGHUP, self._before)

    def _hung_up(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  (the face of a signal handler)
        if self._has_left:
            return
        self._has_left = self._leave()
        if not self._has_left:
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGHUP)


def leave_terminal_for(log: TextIO) -> None:
    """Let the standard streams of this process lead to a log and from nowhere: its terminal may go."""
    nowhere = os.open(NOTHING, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    for descriptor in (1, 2):
        os.dup2(log.fileno(), descriptor)
