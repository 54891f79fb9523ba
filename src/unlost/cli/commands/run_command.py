"""`unlost run -- CMD`: a command of the person's own, between two boundaries."""

from __future__ import annotations

import json
import os
import shlex
from typing import Final, cast

import click

from unlost.app.wrapping import Pace, WorkspaceAround
from unlost.cli.invocation import Command, Invocation
from unlost.cli.render.amounts import listed
from unlost.cli.render.documents import CheckDocument
from unlost.cli.render.verdict import loss_text
from unlost.cli.tending import tend_at
from unlost.facts.durations import parse_duration
from unlost.facts.errors import UsageError
from unlost.facts.quoting import clean, cut
from unlost.host.clock import SystemClock
from unlost.host.foreground import die_of_interrupt
from unlost.host.reading import write_atomically
from unlost.plain.check import Checked
from unlost.plain.wrapper import LOSS_EXIT, WrapperEnd, run_wrapped, summary
from unlost.settings import read_settings

_LONGEST_LABEL: Final = 60
_MOST_LOSSES: Final = 10


class WrapperCommand(Command):
    """What stands behind the first `--` is the command's own, word for word."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words of the command apart from our options."""
        end = args.index("--")
        ctx.meta[__name__] = tuple(args[end + 1 :])
        return super().parse_args(ctx, args[:end])


@click.command(
    "run",
    cls=WrapperCommand,
    options_metavar="[OPTIONS] -- CMD [ARG...]",
    examples=("unlost run -- your-agent", "unlost run --loss-exit 0 -- make"),
)
@click.option("--autosave", metavar="SECONDS|off", help="Save changes after so long at the latest [default: 60].")
@click.option("--report", metavar="FILE", type=click.Path(), help="Write the whole verdict as JSON into FILE.")
@click.option("--loss-exit", type=click.IntRange(0, 255), default=LOSS_EXIT, metavar="N", help="Exit code for a loss.")
@click.pass_context
def command(ctx: click.Context, *, autosave: str | None, report: str | None, loss_exit: int) -> int:
    """Run a command of your own between two boundaries.

    Its terminal, keys, streams and exit code are its own; unlost says one line on stderr at the end. Exit 4 (or
    --loss-exit) when work was lost while it ran.
    """
    invocation: Invocation = ctx.obj
    argv: tuple[str, ...] = ctx.meta[__name__]
    if not argv:
        raise UsageError("name the command to run after `--`", hint="unlost run -- your-agent")
    if invocation.json:
        raise UsageError(
            "stdout belongs to the command, so there is no --json", hint="--report FILE writes the verdict"
        )
    settings = read_settings(invocation.environment)
    pace: Pace = "rules" if autosave is None else _pace(autosave)
    report = None if report is None else _report_file(invocation.folder, report)
    label = cut(clean(shlex.join(argv), one_line=True), _LONGEST_LABEL)
    around = WorkspaceAround(invocation.target, settings, SystemClock(), label=label, autosave=pace)
    os.chdir(invocation.folder)
    end = run_wrapped(argv, invocation.environment, around, loss_exit=loss_exit)
    for problem in around.unsaved:
        invocation.terminal.complain(f"unlost: {problem}")
    _tell(invocation, end, around.checked)
    if report is not None:
        _write_report(invocation, report, end, around)
    tend_at(invocation, around.workspace)
    if end.is_interrupt:
        die_of_interrupt()
    return end.exit_code


def _pace(autosave: str) -> float | None:
    """Seconds a change may stay unsaved; None for no autosaves. A bare number is seconds."""
    if autosave == "off":
        return None
    try:
        return parse_duration(f"{autosave}s" if autosave.isdigit() else autosave)
    except ValueError as error:
        raise UsageError(f"--autosave {autosave}: {error}, or off") from error


def _report_file(folder: str, report: str) -> str:
    """Where the report goes, whole. Raises UsageError before anything runs when it cannot be written there."""
    path = os.path.abspath(os.path.join(folder, report))
    if not report or os.path.isdir(path) or not os.access(os.path.dirname(path), os.W_OK):
        raise UsageError(f"--report {report!r} cannot be written; nothing was started", hint="name a file in a folder")
    return path


def _tell(invocation: Invocation, end: WrapperEnd, checked: Checked | None) -> None:
    """What was lost, if anything, and the one line at the end; all on stderr, nothing of it with `-q`."""
    terminal, palette = invocation.terminal, invocation.terminal.talk_palette
    if end.command.problem is not None:
        terminal.complain(f"unlost: {end.command.problem}")
    line = summary(end.proof)
    if not end.proof.lost or checked is None:
        terminal.talk(line)
        return
    losses = cast("CheckDocument", checked.to_json())["lost"]
    for told in listed([loss_text(lost, palette) for lost in losses], _MOST_LOSSES):
        terminal.talk(told)
    terminal.talk(palette.loss(line))


def _write_report(invocation: Invocation, path: str, end: WrapperEnd, around: WorkspaceAround) -> None:
    """Write `unlost.run/1`."""
    check = None if around.checked is None else around.checked.to_json()
    document = {"schema": "unlost.run/1", "command_exit": end.command.code, "exit": end.exit_code, "check": check}
    try:
        write_atomically(path, json.dumps(document).encode("ascii") + b"\n")
    except OSError as error:
        # The command may have removed the folder; how it ended is told by its exit code all the same.
        invocation.terminal.complain(f"unlost: the report cannot be written: {error.strerror}")
