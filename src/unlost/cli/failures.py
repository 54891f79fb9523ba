"""How a command that failed ends: one message, one hint, one exit code, for every kind of error."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Collection, Sequence
from typing import Final

import click

from unlost.cli.bug_report import bug_report
from unlost.cli.invocation import UnknownCommand
from unlost.cli.palette import Palette
from unlost.cli.suggest import suggest_command, suggest_option
from unlost.cli.terminal import JsonObject, Terminal
from unlost.facts.errors import FileInvalid, Interrupted, Problem, UnlostBug, UnlostError, UsageError
from unlost.facts.records import dataclass

_REFUSED_BY_THE_MACHINE: Final = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.EIO}
)
_MACHINE_HINTS: Final = {
    errno.ENOSPC: "free some disk space; `unlost doctor` shows where the state home is",
    errno.EDQUOT: "free some of your disk quota; `unlost doctor` shows where the state home is",
    errno.EROFS: "`unlost doctor` shows where the state home is; UNLOST_HOME moves it",
    errno.EACCES: "`unlost doctor` checks who may write where",
    errno.EPERM: "`unlost doctor` checks who may write where",
}


@dataclass(frozen=True, kw_only=True)
class Failure:
    """The end of a command that failed, ready to be told; `problems` are the faults of a file."""

    message: str
    exit_code: int
    hint: str | None = None
    problems: tuple[Problem, ...] = ()


def tell_failure(
    error: BaseException, arguments: Sequence[str], terminal: Terminal, *, commands: Collection[str]
) -> int:
    """Write what happened to stderr, with `--json` one object to stdout as well; returns the exit code.

    `arguments` are those of the command line that failed, `commands` the names it could have begun with.
    """
    failure = expected_failure(error)
    if failure is None:
        terminal.complain(bug_report(error, arguments, commands=commands))
        failure = Failure(message="a bug in unlost; the report is on stderr", exit_code=UnlostBug.exit_code)
    else:
        terminal.complain(failure_text(failure, terminal.talk_palette))
    if "--json" in arguments:
        # What the machine refused may have been this very stream; stderr has said so.
        with contextlib.suppress(OSError):
            terminal.document(failure_document(failure))
    return failure.exit_code


def expected_failure(error: BaseException) -> Failure | None:
    """How an error that unlost, click or the machine meant to be told ends the command; None for a bug."""
    if isinstance(error, UnlostBug):
        return None
    if isinstance(error, UnlostError):
        problems = error.problems if isinstance(error, FileInvalid) else ()
        return Failure(message=error.message, exit_code=error.exit_code, hint=error.hint, problems=problems)
    if isinstance(error, KeyboardInterrupt | click.exceptions.Abort):
        return Failure(message="interrupted; what was finished before stays", exit_code=Interrupted.exit_code)
    if isinstance(error, click.ClickException):
        return _usage_failure(error)
    if isinstance(error, OSError) and error.errno in _REFUSED_BY_THE_MACHINE:
        place = f": {error.filename}" if error.filename else ""
        message = f"the machine refused: {error.strerror}{place}; earlier snapshots are whole"
        return Failure(message=message, exit_code=UnlostError.exit_code, hint=_MACHINE_HINTS.get(error.errno or 0))
    return None


def failure_text(failure: Failure, palette: Palette) -> str:
    """`error:` with what happened, each problem with its line, then `hint:` with what to type."""
    lines = [f"{palette.loss('error:')} {failure.message}"]
    lines += [f"  {_problem_text(problem)}" for problem in failure.problems]
    if failure.hint:
        lines.append(f"{palette.strong('hint:')} {failure.hint}")
    return "\n".join(lines)


def failure_document(failure: Failure) -> JsonObject:
    """The `unlost.error/1` object that `--json` puts on stdout where no answer came to be."""
    return {
        "schema": "unlost.error/1",
        "error": failure.message,
        "hint": failure.hint,
        "exit": failure.exit_code,
        "problems": [{"line": problem.line, "what": problem.what} for problem in failure.problems],
    }


def _usage_failure(error: click.ClickException) -> Failure:
    message, hint = error.format_message(), None
    context: click.Context | None = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption) and context is not None:
        message = f"`{context.command_path}` has no option {error.option_name}"
        hint = suggest_option(error.option_name, _long_options(context))
    elif isinstance(error, UnknownCommand) and context is not None and isinstance(context.command, click.Group):
        hint = suggest_command(error.name, context.command.list_commands(context), group=context.command_path)
    if hint is None and context is not None:
        hint = f"`{context.command_path} --help` shows how it is used"
    return Failure(message=message[:1].lower() + message[1:].rstrip("."), exit_code=UsageError.exit_code, hint=hint)


def _long_options(context: click.Context) -> list[str]:
    return [name for parameter in context.command.params for name in parameter.opts if name.startswith("--")]


def _problem_text(problem: Problem) -> str:
    return problem.what if problem.line is None else f"line {problem.line}: {problem.what}"
