"""A real terminal: a tmux server of the test's own, keys typed into it, and what its screen shows."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

needs_tmux = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed: no terminal to type into")

PATIENCE = 120.0
"""Seconds after which what a test waits for will not come; far above what a busy machine needs."""


class Terminal:
    """One window with a shell whose prompt is `READY$ `; wait for what the screen shows, never for time."""

    def __init__(self, folder: Path, *, width: int = 100, height: int = 30) -> None:
        self._tmux = ["tmux", "-S", str(folder / "tmux.socket"), "-f", "/dev/null"]
        size = ["-x", str(width), "-y", str(height)]
        shell = ["env", "PS1=READY$ ", "PROMPT_COMMAND=", "bash", "--norc", "--noprofile", "-i"]
        self._do("new-session", "-d", *size, "-c", str(folder), *shell)
        self.expect("READY$")

    def type(self, line: str) -> None:
        """Type a line and press Enter."""
        self._do("send-keys", "-l", line)
        self.press("Enter")

    def press(self, *keys: str) -> None:
        """Press keys by tmux's names: `C-c`, `C-z`, `Enter`, `x`."""
        self._do("send-keys", *keys)

    def paste(self, text: str) -> None:
        """Paste as a terminal does: with brackets when the program asked for them."""
        self._do("set-buffer", text)
        self._do("paste-buffer", "-p")

    def resize(self, width: int, height: int) -> None:
        """Change the size of the window."""
        self._do("resize-window", "-x", str(width), "-y", str(height))

    def screen(self) -> str:
        """What the screen shows now."""
        return self._do("capture-pane", "-p")

    def expect(self, text: str) -> None:
        """Wait until the screen shows a text."""
        self._until(lambda: text in self.screen(), f"{text!r} is not on the screen")

    def expect_prompt(self) -> None:
        """Wait until the shell reads again: what is typed before it has the terminal back, it may keep for itself."""
        self._until(lambda: self.screen().rstrip().endswith("\nREADY$"), "the shell does not read")

    def close(self) -> None:
        """End the server and all in it."""
        self._do("kill-server")

    def _until(self, condition: Callable[[], bool], complaint: str) -> None:
        until = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < until, f"{complaint}:\n{self.screen()}"
            time.sleep(0.02)

    def _do(self, *command: str) -> str:
        done = subprocess.run([*self._tmux, *command], capture_output=True, text=True, check=True, timeout=PATIENCE)
        return done.stdout
