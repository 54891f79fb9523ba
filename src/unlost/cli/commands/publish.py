"""`unlost publish UNIT`: push a unit's finished work to a branch of its own."""

from __future__ import annotations

import click

from unlost.app.publishing import publish_unit, request_of
from unlost.cli.following import answer_unit, open_supervisor
from unlost.cli.invocation import Command, Invocation


@click.command(
    "publish",
    cls=Command,
    examples=("unlost publish", "unlost publish u-3f9c --json", "unlost publish u-3f9c --text >request.md"),
)
@click.argument("unit", required=False)
@click.option("--trust-remote", is_flag=True, help="Push to the address that the repository has for the remote now.")
@click.option("--text", is_flag=True, help="Only print the text of the pull request; nothing is published.")
@click.pass_obj
def command(invocation: Invocation, *, unit: str | None, trust_remote: bool, text: bool) -> int:
    """Push a unit's finished work to a branch of its own.

    Its commits, or one that is made for it in unlost's own store, go to `unlost/<title>-<unit>` (or `[publish]
    branch`) at the remote that the repository had when the unit was admitted. A branch that somebody else moved is
    left alone. What the push came to is read from the remote; where that cannot be, it is uncertain, and asked again.
    """
    with open_supervisor(invocation) as supervisor:
        if text:
            shown = request_of(supervisor, unit)
            document = {"schema": "unlost.request/1", "unit": shown.unit, "title": shown.title, "text": shown.text}
            invocation.answer(document, shown.text.rstrip("\n"))
            return 0
        return answer_unit(invocation, publish_unit(supervisor, unit, trust_remote=trust_remote))
