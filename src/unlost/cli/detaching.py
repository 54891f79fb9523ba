"""Runs that need no terminal: begun in the background, or left by a terminal that went away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from unlost.app.background import log_of, start_supervisor
from unlost.app.supervised import Supervisor
from unlost.cli.following import answer_unit
from unlost.cli.invocation import Invocation
from unlost.host.bounded_log import open_bounded_log
from unlost.host.hangups import Hangups, leave_terminal_for


@contextmanager
def outliving_the_terminal(invocation: Invocation, supervisor: Supervisor) -> Iterator[None]:
    """A hang-up while a unit is driven means: go on without the terminal. What is said then is said to the log."""

    def leave() -> bool:
        folder = supervisor.driven
        if folder is None:
            return False
        enter_background(invocation, log_of(folder))
        return True

    with Hangups(leave):
        yield


def enter_background(invocation: Invocation, log: str) -> None:
    """Say everything from now on to a bounded log, and let go of the terminal."""
    stream = open_bounded_log(log)
    leave_terminal_for(stream)
    invocation.terminal.turn_to(stream)


def run_detached(invocation: Invocation, supervisor: Supervisor, unit: str, options: tuple[str, ...] = ()) -> int:
    """Hand a unit to a supervisor in the background and tell how to follow it; one that ended at once is answered."""
    started = start_supervisor(supervisor, unit, invocation.environment, options)
    shown = supervisor.show(unit)
    if started.exit_code is not None:
        answer_unit(invocation, shown)
        return started.exit_code
    title = shown.state.title
    invocation.answer(
        shown.document,
        f"{unit}  {title}\nin the background; `unlost watch {unit}` follows it, `unlost stop {unit}` ends it",
    )
    return 0
