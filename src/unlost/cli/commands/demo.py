"""`unlost demo`: the first minute."""

from __future__ import annotations

import json
from typing import Final

import click

from unlost.cli.invocation import Command, Invocation
from unlost.demo.stage import Stage, clear_away, read_file, set_up
from unlost.demo.story import ACTS, Act, check_ending, next_steps
from unlost.host.clock import Clock, SystemClock
from unlost.host.foreground import run_in_foreground
from unlost.host.process import Request, run

_TO_READ: Final = 2.5
_TO_LOOK: Final = 1.5
_TIME_LIMIT: Final = 120.0


@click.command("demo", cls=Command, examples=("unlost demo", "unlost demo --fast --keep"))
@click.option("--fast", is_flag=True, help="Do not pause for reading.")
@click.option("--keep", is_flag=True, help="Leave the demo's folder to look around in.")
@click.pass_obj
def command(invocation: Invocation, *, fast: bool, keep: bool) -> int:
    """Watch a loss happen, and be undone, in half a minute.

    An agent that follows a script works through a plan in a temporary repository, and in its third task throws the
    first task's work away. No key, no network, and nothing of yours is touched.
    """
    clock = SystemClock()
    started = clock.monotonic()
    stage = set_up()
    try:
        if invocation.json:
            answers = [_act_quietly(stage, act) for act in ACTS]
            seconds = round(clock.monotonic() - started, 1)
            invocation.answer({"schema": "unlost.demo/1", "acts": answers, "seconds": seconds}, "")
        else:
            _perform(invocation, stage, None if fast or not invocation.terminal.is_interactive else clock)
    finally:
        if keep:
            invocation.terminal.talk(f"the demo's folder: {stage.folder}")
        else:
            clear_away(stage)
    return 0


def _perform(invocation: Invocation, stage: Stage, clock: Clock | None) -> None:
    """Play every act on the terminal, with pauses when a clock is given."""
    terminal, palette = invocation.terminal, invocation.terminal.palette
    environment = stage.environment(colored=palette.colored)
    for act in ACTS:
        terminal.data("\n".join((*act.tells, "\n")))
        _pause(clock, _TO_READ)
        terminal.data(palette.strong("$ unlost " + " ".join(act.arguments)))
        end = run_in_foreground(stage.program(*_real(stage, act)), environment)
        check_ending(act, end.code)
        _pause(clock, _TO_LOOK)
        if act.shows is not None:
            terminal.data("\n" + palette.strong(f"$ cat {act.shows}"))
            terminal.data(read_file(stage, act.shows))
        terminal.data("")
        _pause(clock, _TO_LOOK)
    terminal.data("\n".join(next_steps()))


def _act_quietly(stage: Stage, act: Act) -> dict[str, object]:
    """Play one act and return what it answered, as JSON."""
    argv = stage.program("--json", *_real(stage, act))
    outcome = run(Request(argv=argv, env=stage.environment(colored=False), timeout=_TIME_LIMIT))
    check_ending(act, outcome.exit_code)
    return {"command": list(act.arguments), "exit": outcome.exit_code, "answer": json.loads(outcome.stdout)}


def _real(stage: Stage, act: Act) -> tuple[str, ...]:
    """The arguments with the plan's real place; it lies beside the work tree, not in it."""
    return tuple(stage.plan if stage.plan.endswith(f"/{argument}") else argument for argument in act.arguments)


def _pause(clock: Clock | None, seconds: float) -> None:
    if clock is not None:
        clock.wait(seconds)
