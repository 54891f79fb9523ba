"""`unlost workspace save`: a final save of the workspace here."""

from __future__ import annotations

import click

from unlost.cli.invocation import Command, Invocation
from unlost.cli.saving import carry_out


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
    return carry_out(invocation, place=place, private=private)
