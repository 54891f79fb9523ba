"""What takes long, told on a terminal's stderr in one line that goes again; nothing when piped or quiet."""

from __future__ import annotations

from unlost.cli.terminal import Terminal

_CLEAR = "\r\x1b[K"


class Progress:
    """A callback `progress(text)` for long steps; use it as a context manager so that the line is cleared."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._is_drawn = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_reason: object) -> None:
        if self._is_drawn:
            self._draw(_CLEAR)

    def __call__(self, text: str) -> None:
        """Tell what begins now."""
        if self._terminal.is_interactive and not self._terminal.quiet:
            self._is_drawn = True
            self._draw(f"{_CLEAR}{text} …")

    def _draw(self, text: str) -> None:
        stream = self._terminal.talk_stream
        stream.write(text)
        stream.flush()
