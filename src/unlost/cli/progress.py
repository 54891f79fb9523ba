"""Progress of long work: one line on a terminal's stderr, redrawn in place; nothing when piped."""

from __future__ import annotations

from typing import Final

from unlost.cli.terminal import Terminal
from unlost.host.clock import Clock

_FIRST_AFTER: Final = 0.4
_REDRAW_EVERY: Final = 0.1
_WIDTH: Final = 24


class Progress:
    """A callback `progress(done, total)` that draws a bar; use as a context manager so that the line is cleared.

    Nothing is drawn in the first 0.4 s: short work shows no flicker. `total` 0 means that it is not known.
    """

    def __init__(self, terminal: Terminal, clock: Clock, *, what: str) -> None:
        self._terminal = terminal
        self._clock = clock
        self._what = what
        self._visible = terminal.is_interactive and not terminal.quiet
        self._next_draw = clock.monotonic() + _FIRST_AFTER
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_reason: object) -> None:
        if self._drawn:
            self._put("\r\x1b[K")

    def __call__(self, done: int, total: int) -> None:
        """Tell how far the work is; cheap enough to be called for each file."""
        if not self._visible:
            return
        moment = self._clock.monotonic()
        if moment < self._next_draw:
            return
        self._next_draw = moment + _REDRAW_EVERY
        self._drawn = True
        self._put(f"\r\x1b[K{progress_line(self._what, done, total)}")

    def _put(self, text: str) -> None:
        stream = self._terminal.talk_stream
        stream.write(text)
        stream.flush()


def progress_line(what: str, done: int, total: int) -> str:
    """`reading files ━━━━━━────── 1,204 of 3,000`, or a plain count when the total is not known."""
    if total <= 0:
        return f"{what} {done:,}"
    filled = min(_WIDTH, _WIDTH * done // total)
    return f"{what} {'━' * filled}{'─' * (_WIDTH - filled)} {done:,} of {total:,}"
