"""`unlost forget`: drop a workspace."""

from __future__ import annotations

import click

from unlost.cli.consent import is_agreed
from unlost.cli.invocation import Command, Invocation
from unlost.cli.opening import open_workspace
from unlost.facts.errors import NeedsPerson, UsageError
from unlost.facts.records import replace


@click.command(
    "forget",
    cls=Command,
    dry_run=True,
    examples=("unlost forget", "unlost forget w-3f9c2a7b1d04 -y"),
)
@click.argument("target", required=False, metavar="[ID]")
@click.pass_obj
def command(invocation: Invocation, *, target: str | None) -> int:
    """Drop a workspace and all its snapshots.

    ID is a workspace's id or root; without it, the one here. The repository itself is not touched. What was forgotten
    cannot be brought back, so a person is asked, or says -y.
    """
    wanted = invocation if target is None else replace(invocation, workspace=target)
    with open_workspace(wanted) as opened:
        identity = opened.found.identity
        if identity is None:
            raise UsageError("this work tree is not registered; there is nothing to forget")
        snapshots = len(opened.snapshots().rows)
        what = f"{identity.workspace} with {snapshots:,} snapshots of {identity.root}"
        if not invocation.dry_run:
            if not is_agreed(invocation, f"{what} will be forgotten"):
                raise NeedsPerson(f"{what} was not forgotten", hint="add -y if you mean it")
            opened.forget()
    document = {
        "schema": "unlost.forget/1",
        "workspace": identity.workspace,
        "root": identity.root,
        "snapshots": snapshots,
        "forgotten": not invocation.dry_run,
    }
    invocation.answer(document, f"would forget {what}" if invocation.dry_run else f"forgot {what}")
    return 0
