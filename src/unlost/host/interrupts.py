"""Ctrl-C as a fact to act on: while something must not be torn in the middle, it is counted, not raised."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Self


class Interrupts:
    """Counts Ctrl-C while entered; afterwards the handler before is back. In another thread it counts nothing."""

    def __init__(self) -> None:
        self.count = 0
        self._is_main = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Self:
        if self._is_main:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_main:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  (the face of a signal handler)
        self.count += 1
