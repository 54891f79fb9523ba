"""The two streams of a command: data on stdout, talk on stderr."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from typing import TextIO

from unlost.cli.palette import ColorMode, Palette, choose_palette
from unlost.cli.streams import without_reader

JsonObject = Mapping[str, object]


class Terminal:
    """Writes a command's answer and its talk.

    A reader that goes away (`unlost log | head`) ends the output, not the command: its work and its exit
    code stay what they would have been.
    """

    def __init__(
        self,
        *,
        stdin: TextIO,
        stdout: TextIO,
        stderr: TextIO,
        color: ColorMode,
        quiet: bool,
        environment: Mapping[str, str],
    ) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._stderr = stderr
        self.quiet = quiet
        self.palette: Palette = choose_palette(color, environment, stdout.isatty)
        self.talk_palette: Palette = choose_palette(color, environment, stderr.isatty)
        self._is_log = False

    @property
    def is_interactive(self) -> bool:
        """Whether a person sees the talk: stderr is a terminal."""
        return self._stderr.isatty()

    @property
    def tells_all(self) -> bool:
        """Whether what an agent says is wanted, too: by a person who watches, or in the log of the background."""
        return self._is_log or self.is_interactive

    def turn_to(self, log: TextIO) -> None:
        """Write everything to a log from now on, without colour: the terminal has gone, or never was."""
        self._stdout = self._stderr = log
        self._is_log = True
        self.palette = self.talk_palette = choose_palette("never", {}, log.isatty)

    @property
    def can_ask(self) -> bool:
        """Whether a person can read a question and type the answer."""
        return self._stdin.isatty() and self._stderr.isatty()

    def ask(self, question: str) -> str:
        """Write a question to stderr and return the line that is typed; empty at the end of the input."""
        _write(self._stderr, question)
        return self._stdin.readline()

    @property
    def talk_stream(self) -> TextIO:
        """Where progress is drawn: stderr."""
        return self._stderr

    def data(self, text: str) -> None:
        """Write lines of the answer to stdout, also with `-q`."""
        _write(self._stdout, text if text.endswith("\n") else text + "\n")

    def raw(self, content: bytes) -> None:
        """Write a file's content to stdout, byte for byte."""
        with without_reader(self._stdout):
            self._stdout.flush()
            self._stdout.buffer.write(content)
            self._stdout.buffer.flush()

    def document(self, answer: JsonObject) -> None:
        """Write the one JSON object of `--json` to stdout, in one line of ASCII."""
        self.data(json.dumps(answer, ensure_ascii=True, allow_nan=False))

    def talk(self, text: str) -> None:
        """Write a line about what goes on to stderr; nothing with `-q`."""
        if not self.quiet:
            self.complain(text)

    def complain(self, text: str) -> None:
        """Write an error, a warning or a hint to stderr, also with `-q`."""
        # Words that cannot be told (a full disk below a redirected stderr) must not change how the command ends.
        with contextlib.suppress(OSError):
            _write(self._stderr, text + "\n")


def _write(stream: TextIO, text: str) -> None:
    with without_reader(stream):
        stream.write(text)
        stream.flush()
