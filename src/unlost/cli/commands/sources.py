"""`unlost sources`: what research rests on, and withdrawing it."""

from __future__ import annotations

import click

from unlost.app.briefs import list_sources, revoke_source
from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.cli.following import open_supervisor
from unlost.cli.invocation import Command, Group, Invocation
from unlost.cli.render.brief import sources_document, sources_text
from unlost.host.environment import user_name


@click.group("sources", cls=Group, no_args_is_help=False)
def command() -> None:
    """List what research rests on, or withdraw a source.

    Every brief names its sources. No coding attempt starts on a brief that rests on a revoked one.
    """


@command.command("list", cls=Command, examples=("unlost sources list", "unlost sources list --body --json"))
@click.option("--body", is_flag=True, help="What each one is, for units that you requested or operate.")
@click.pass_obj
def list_(invocation: Invocation, *, body: bool) -> int:
    """List the sources of every unit's brief."""
    with open_supervisor(invocation) as supervisor:
        rows = list_sources(supervisor.ledger, body=body, reader=user_name(), operators=supervisor.settings.operators)
    invocation.answer(sources_document(rows), sources_text(rows, invocation.terminal.palette))
    return 0


@command.command("revoke", cls=Command, examples=("unlost sources revoke s-3f9c2a7b1d04",))
@click.argument("source", metavar="ID")
@click.pass_obj
def revoke(invocation: Invocation, *, source: str) -> int:
    """Withdraw a source from every brief that rests on it.

    An attempt that runs is not disturbed; the next one is refused, with this reason.
    """
    refuse_inside_attempt()
    with open_supervisor(invocation) as supervisor:
        revoked = revoke_source(supervisor.ledger, source, by=user_name(), operators=supervisor.settings.operators)
    invocation.answer({"schema": "unlost.source/1", "id": revoked, "state": "revoked"}, f"{revoked} is revoked")
    return 0
