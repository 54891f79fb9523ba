"""`run -- CMD`: the exit code, the signals, and a terminal that is wholly CMD's."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import wrapped
from kit.ground import eventually
from kit.terminal import Terminal, needs_tmux

from unlost.plain.wrapper import Proof, summary

WRAPPER = (sys.executable, str(wrapped.__file__))


KEYS = """
import os, signal, tty

def say(*_):
    os.write(1, b"size %dx%d\\r\\n" % os.get_terminal_size())

signal.signal(signal.SIGWINCH, say)
tty.setraw(0)
say()
key = b""
while key != b"q":
    key = os.read(0, 1)
    os.write(1, b"key %d\\r\\n" % key[0])
"""


def code_of(*command: str, lost: int = 0) -> int:
    environment = {**os.environ, "LOST": str(lost)}
    return subprocess.run([*WRAPPER, *command], env=environment, check=False, timeout=120).returncode


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("exit 0", 0),
        ("exit 1", 1),
        ("exit 255", 255),
        ("kill -TERM $$", 143),
        ("kill -KILL $$", 137),
        ("kill -SEGV $$", 139),
        ("kill -PIPE $$", 141),
        ("exit 130", 130),
    ],
)
def test_exit_code_is_the_command_s(line: str, code: int) -> None:
    """The code is CMD's own, or 128 and the number of its signal."""
    assert code_of("sh", "-c", line) == code


def test_command_that_cannot_run(tmp_path: Path) -> None:
    """A missing command is 127; a folder or a file without the x bit is 126."""
    (tmp_path / "file").touch()

    assert code_of("no-such-command") == 127
    assert code_of(str(tmp_path)) == 126
    assert code_of(str(tmp_path / "file")) == 126


def test_interrupted_command_interrupts_its_caller() -> None:
    """CMD that died of SIGINT makes us die of it, so that a loop of the shell around us ends; `exit 130` does not."""
    assert code_of("sh", "-c", "kill -INT $$") == -signal.SIGINT


def test_loss_wins_over_the_code() -> None:
    """When work was lost the code is 4, whatever CMD's own was, an interrupt included."""
    assert code_of("sh", "-c", "exit 0", lost=1) == 4
    assert code_of("sh", "-c", "kill -INT $$", lost=1) == 4


def test_streams_are_the_command_s() -> None:
    """stdin, stdout and stderr pass through unread and unchanged, and no other descriptor does."""
    line = "cat; echo error >&2; ls /proc/self/fd | wc -l >&2"
    data = bytes(range(256)) * 1000

    done = subprocess.run([*WRAPPER, "sh", "-c", line], input=data, capture_output=True, check=True, timeout=120)

    assert done.stdout == data
    # The fourth is the folder that `ls` itself reads.
    assert done.stderr.split() == [b"error", b"4"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_signals_are_forwarded(tmp_path: Path, number: signal.Signals) -> None:
    """What is sent to us alone reaches CMD, and CMD decides what comes of it."""
    line = f"trap 'exit 42' TERM HUP USR1; touch {shlex.quote(str(tmp_path))}/ready; while :; do sleep 0.01; done"
    process = subprocess.Popen([*WRAPPER, "sh", "-c", line])
    eventually((tmp_path / "ready").exists)

    process.send_signal(number)

    assert process.wait(timeout=120) == 42


def test_summary_is_one_line() -> None:
    """The line at the end says how much changed, what is lost, the boundary, and the way back."""
    assert summary(Proof(changed=14, lost=0, boundary=7)) == "unlost: 14 files changed, nothing lost · boundary 7"
    assert summary(Proof(changed=1, lost=2, boundary=8)) == (
        "unlost: 1 file changed, 2 lost · boundary 8 · unlost restore --lost"
    )


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A shell in a real terminal."""
    opened = Terminal(tmp_path)
    opened.type(f"alias w={shlex.quote(shlex.join(WRAPPER))}")
    yield opened
    opened.close()


@needs_tmux
def test_raw_mode_and_resize(terminal: Terminal, tmp_path: Path) -> None:
    """A full-screen program reads single keys and is told the window's new size."""
    (tmp_path / "keys.py").write_text(KEYS, encoding="utf-8")
    terminal.type("w python3 keys.py; stty sane")
    terminal.expect("size 100x30")

    terminal.press("C-c")
    terminal.expect("key 3")
    terminal.resize(90, 25)
    terminal.expect("size 90x25")
    terminal.press("C-z")
    terminal.expect("key 26")
    terminal.press("q")

    terminal.expect("key 113")
    terminal.expect_prompt()
    terminal.type("echo code=$?")
    terminal.expect("code=0")


@needs_tmux
def test_paste_arrives_whole(terminal: Terminal) -> None:
    """A pasted text reaches CMD byte for byte."""
    text = "\n".join(f"line {number} äöü" for number in range(40)) + "\n"
    terminal.type("w sh -c 'echo go; head -n 40 | cksum'")
    terminal.expect("go\n")

    terminal.paste(text)

    expected = subprocess.run(["cksum"], input=text.encode(), capture_output=True, check=True).stdout.decode().strip()
    terminal.expect(expected)


@needs_tmux
def test_interrupt_ends_command_and_loop(terminal: Terminal) -> None:
    """Ctrl-C ends CMD, `$?` is 130, and a loop of the shell around us does not go on to its next round."""
    terminal.type('for round in 1 2; do w sh -c "echo round-$round; sleep 600"; done; echo after')
    terminal.expect("\nround-1")

    terminal.press("C-c")
    terminal.expect_prompt()
    terminal.type("echo code=$?")

    terminal.expect("code=130")
    assert "round-2" not in terminal.screen()


@needs_tmux
def test_interrupt_that_the_command_survives(terminal: Terminal) -> None:
    """A program with its own use for Ctrl-C keeps it: we do not end before it does."""
    line = "trap 'echo caught' INT; echo set; while ! read word; do :; done; echo got $word; exit 5"
    terminal.type(f"w bash -c {shlex.quote(line)}")
    terminal.expect("\nset")
    terminal.press("C-c")
    terminal.expect("^Ccaught")

    terminal.type("end")
    terminal.expect("got end")
    terminal.expect_prompt()
    terminal.type("echo code=$?")
    terminal.expect("code=5")


@needs_tmux
def test_stop_and_foreground(terminal: Terminal) -> None:
    """Ctrl-Z stops CMD and us as one job, with 148; `fg` wakes both, and the input goes on."""
    terminal.type("w sh -c 'echo up; exec cat'")
    terminal.expect("\nup\n")
    terminal.type("before")
    terminal.expect("before\nbefore")

    terminal.press("C-z")
    terminal.expect("Stopped")
    terminal.expect_prompt()
    terminal.type("echo code=$?")
    terminal.expect("code=148")
    terminal.expect_prompt()
    terminal.type("clear; fg")
    terminal.expect(" exec cat'\n")
    terminal.type("after")

    terminal.expect("after\nafter")
    terminal.press("C-d")
    terminal.expect_prompt()
    terminal.type("echo end=$?")
    terminal.expect("end=0")
