"""Agents that misbehave, one function each: `python -S misbehaviour.py NAME`, with a roll in ROLL.

Every process of theirs first writes its pid and start into the roll, so a test can tell who lives without asking
anything of unlost.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from typing import NoReturn

LONG = 600


def start_of(pid: int | str) -> int | None:
    """When a process started, in ticks; None when there is none or it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] in b"ZX" else int(fields[19])


def sign() -> None:
    roll = os.open(os.environ["ROLL"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(roll, f"{os.getpid()} {start_of(os.getpid())}\n".encode())
    os.close(roll)


def fork(action: Callable[[], object]) -> int:
    """Run an action in a child that signs first."""
    child = os.fork()
    if child == 0:
        try:
            sign()
            action()
        finally:
            os._exit(0)
    return child


def daemonise(action: Callable[[], object]) -> None:
    """Fork twice into a session of its own, as daemons do."""

    def middle() -> None:
        os.setsid()
        fork(action)

    os.waitpid(fork(middle), 0)


def ignore_signals() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def sleep_stubbornly() -> None:
    ignore_signals()
    time.sleep(LONG)


def chatter() -> None:
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        os.write(1, b'{"type": "said", "text": "working"}\n')
        time.sleep(0.02)


def daemon() -> None:
    daemonise(lambda: time.sleep(LONG))
    chatter()


def stubborn() -> None:
    """Ignore every polite signal, in a daemon as well."""
    ignore_signals()
    daemonise(sleep_stubbornly)
    chatter()


def clean() -> None:
    """A daemon that throws its environment, hence the mark, away."""
    daemonise(lambda: os.execve("/bin/sleep", ["sleep", str(LONG)], {}))  # noqa: S606  (no environment is the point)
    chatter()


def storm() -> None:
    """Stubborn sleepers in sessions of their own, and chains whose pid changes every few milliseconds."""

    def hop(left: int) -> None:
        ignore_signals()
        os.setsid()
        time.sleep(0.003)
        if left:
            fork(lambda: hop(left - 1))
        else:
            time.sleep(LONG)

    for _ in range(6):
        fork(lambda: hop(6))

    def sleeper() -> None:
        os.setsid()
        sleep_stubbornly()

    for _ in range(40):
        fork(sleeper)
    chatter()


def leaver() -> None:
    """Leave a stubborn daemon behind and exit well."""
    daemonise(sleep_stubbornly)


def mute() -> None:
    """Close both outputs but live on."""
    os.close(1)
    os.close(2)
    time.sleep(LONG)


def quiet() -> None:
    time.sleep(LONG)


def flood() -> None:
    """Thirty megabytes without a newline."""
    for _ in range(480):
        os.write(1, b"x" * 65536)


def polite() -> NoReturn:
    """Hand over when asked to end, and leave."""

    def hand_over(*_: object) -> NoReturn:
        with open(os.path.join(os.environ["UNLOST_OUTBOX"], "handoff.json"), "w", encoding="utf-8") as file:
            file.write('{"task": "t"}')
        os._exit(0)

    signal.signal(signal.SIGINT, hand_over)
    os.write(1, b'{"type": "tool", "name": "one"}\n{"type": "tool", "name": "two"}\n')
    chatter()
    os._exit(1)


def unmoved() -> None:
    """Note that the end was asked for, and go on. The second signature says that it listens."""
    signal.signal(signal.SIGINT, lambda *_: open(os.environ["ROLL"] + ".asked", "wb").close())
    sign()
    chatter()


def witness() -> None:
    """Exit 9 when a process of an attempt before lives while we may write."""
    own = f"{os.getpid()} "
    with open(os.environ["ROLL"], encoding="ascii") as roll:
        others = [line.split() for line in roll if not line.startswith(own)]
    if any(start_of(pid) == int(start) for pid, start in others):
        os._exit(9)


def turn() -> None:
    """Note when a turn as the writer begins and ends."""
    with open(os.environ["ROLL"] + ".turns", "a", encoding="ascii") as file:
        file.write("in\n")
        file.flush()
        time.sleep(0.05)
        file.write("out\n")


AGENTS: Mapping[str, Callable[[], object]] = {
    action.__name__: action
    for action in (daemon, stubborn, clean, storm, leaver, mute, quiet, flood, polite, unmoved, witness, turn)
}

if __name__ == "__main__":
    sign()
    AGENTS[sys.argv[1]]()
