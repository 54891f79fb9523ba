from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

from unlost.cli.palette import ColorMode, choose_palette
from unlost.cli.progress import Progress
from unlost.cli.terminal import Terminal


class TerminalStream(io.StringIO):
    """A text stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def terminal(*, quiet: bool = False, stderr: io.StringIO | None = None) -> tuple[Terminal, io.StringIO, io.StringIO]:
    """A terminal over two streams that the test reads."""
    out, err = io.StringIO(), stderr or io.StringIO()
    return Terminal(stdin=io.StringIO(), stdout=out, stderr=err, color="auto", quiet=quiet, environment={}), out, err


@pytest.mark.parametrize(
    ("mode", "environment", "is_terminal", "colored"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_what_decides_about_colour(
    mode: ColorMode, environment: dict[str, str], is_terminal: object, colored: object
) -> None:
    """The flag decides, then NO_COLOR, then FORCE_COLOR, then whether the stream is a terminal."""
    assert choose_palette(mode, environment, lambda: bool(is_terminal)).colored is colored


def test_data_goes_to_stdout_and_talk_to_stderr() -> None:
    """Talk is left out with -q; errors and data are not."""
    loud, out, err = terminal()
    quiet, quiet_out, quiet_err = terminal(quiet=True)
    for each in (loud, quiet):
        each.data("data")
        each.talk("talk")
        each.complain("error")

    assert (out.getvalue(), err.getvalue()) == ("data\n", "talk\nerror\n")
    assert (quiet_out.getvalue(), quiet_err.getvalue()) == ("data\n", "error\n")


def test_a_document_is_one_line_of_ascii() -> None:
    """JSON is one object on one line; what is not ASCII is escaped, so no encoding can break it."""
    shown, out, _ = terminal()

    shown.document({"path": "naïve\u202e"})

    assert out.getvalue().isascii()
    assert json.loads(out.getvalue()) == {"path": "naïve\u202e"}
    assert out.getvalue().count("\n") == 1


def test_a_reader_that_goes_away_changes_no_exit_code() -> None:
    """With a closed pipe the command ends with its own code and says nothing about it."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "unlost", "completion", "bash"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (0, b"")


def test_progress_is_drawn_on_a_terminal_only() -> None:
    """What takes long is told on a terminal and cleared at the end; nothing when piped or quiet."""
    drawn: list[str] = []
    for quiet, stream in ((False, TerminalStream()), (False, io.StringIO()), (True, TerminalStream())):
        shown, _, err = terminal(quiet=quiet, stderr=stream)
        with Progress(shown) as progress:
            progress("reading the repository")
        drawn.append(err.getvalue())

    assert drawn == ["\r\x1b[Kreading the repository …\r\x1b[K", "", ""]
