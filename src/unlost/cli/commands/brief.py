"""`unlost brief`: check a brief, or show what a unit's research came to."""

from __future__ import annotations

from typing import Final

import click

from unlost.app.briefs import show_brief
from unlost.cli.failures import Failure, failure_text
from unlost.cli.files import read_named_file
from unlost.cli.following import open_supervisor
from unlost.cli.invocation import Command, Group, Invocation
from unlost.cli.render.brief import brief_document, brief_text, check_document, check_text
from unlost.facts.errors import FileInvalid
from unlost.host.environment import user_name
from unlost.host.redaction import Redactor
from unlost.research.brief import parse_brief

_READ_LIMIT: Final = 256 << 10
"""More is read than is allowed, so that the refusal can name the size."""


@click.group("brief", cls=Group, no_args_is_help=False)
def command() -> None:
    """Check a brief, or show what a unit's research came to.

    A brief is the JSON file that a researcher hands back: what it found, what it rests on, how to prove the work, or
    the decision that is missing.
    """


@command.command("check", cls=Command, examples=("unlost brief check brief.json",))
@click.argument("file", type=click.Path())
@click.pass_obj
def check(invocation: Invocation, file: str) -> int:
    """Say whether a file is a brief.

    Every fault is named at once, measured on what would be stored: redacted, in canonical form. Exit 2 when it is
    refused.
    """
    try:
        brief = parse_brief(read_named_file(file, folder=invocation.folder, limit=_READ_LIMIT), redact=Redactor())
    except FileInvalid as error:
        failure = Failure(message=error.message, exit_code=error.exit_code, problems=error.problems, hint=error.hint)
        invocation.terminal.complain(failure_text(failure, invocation.terminal.talk_palette))
        invocation.answer(check_document(None, error.problems), "")
        return error.exit_code
    invocation.answer(check_document(brief, ()), check_text(brief))
    return 0


@command.command("show", cls=Command, examples=("unlost brief show u-3f9c", "unlost brief show u-3f9c --body"))
@click.argument("unit", required=False)
@click.option("--body", is_flag=True, help="The brief itself, for the requester and operators.")
@click.pass_obj
def show(invocation: Invocation, *, unit: str | None, body: bool) -> int:
    """Show what a unit's research came to: state, commit, digest and the ids of its sources.

    What it says is shown with --body alone, and only to who requested the unit or operates it.
    """
    with open_supervisor(invocation) as supervisor:
        operators = supervisor.settings.operators
        shown = show_brief(supervisor.ledger, supervisor.find(unit), body=body, reader=user_name(), operators=operators)
    invocation.answer(brief_document(shown), brief_text(shown, invocation.terminal.palette))
    return 0
