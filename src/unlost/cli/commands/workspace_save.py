"""`unlost workspace save`: a final save of the workspace here."""

from __future__ import annotations

import click

from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.moving import save_here
from unlost.app.workspaces import on_this_machine
from unlost.cli.invocation import Command, Invocation
from unlost.cli.progress import Progress
from unlost.cli.render.moved import saved_text


@click.command(
    "save", cls=Command, examples=("unlost workspace save", "unlost workspace save --place sandbox-7 --private")
)
@click.option("--place", metavar="NAME", help="What this place is called, over UNLOST_PLACE and the machine's name.")
@click.option("--private", is_flag=True, help="Let the precious ignored files (.env) leave this machine, too.")
@click.pass_obj
def command(invocation: Invocation, *, place: str | None, private: bool) -> int:
    """Save the workspace here, so that it can go on at another place.

    A final save: refused with exit 75 while an agent of unlost's runs here. It goes to the shared store of
    UNLOST_STORE, and without one stays in this machine's own, from where `restore` reaches other folders and hosts.
    With --place (or UNLOST_PLACE) the root gets a receipt: a later restore may then replace it. Without, never.
    """
    refuse_inside_attempt()
    named = place or invocation.environment.get("UNLOST_PLACE") or None
    with Progress(invocation.terminal) as progress, on_this_machine(invocation.environment) as machine:
        saved = save_here(machine, invocation.target, place=named, private=private, say=progress)
    invocation.answer(saved.to_json(), saved_text(saved))
    return 0
