"""`unlost recover UNIT`: prove what stands and open the next revision of the same plan."""

from __future__ import annotations

import click

from unlost.app.steering import recover
from unlost.cli.following import answer_unit, open_supervisor
from unlost.cli.invocation import Command, Invocation
from unlost.facts.errors import UsageError


@click.command(
    "recover",
    cls=Command,
    examples=("unlost recover u-3f9c", "unlost recover u-3f9c && unlost resume u-3f9c"),
)
@click.argument("unit", required=False)
@click.pass_obj
def command(invocation: Invocation, *, unit: str | None) -> int:
    """Prove what stands of a unit's work, and open its next revision with the same plan.

    For a unit that failed or expired. Its attempts count anew; deadline and cost cap stay as they are. `unlost
    resume` starts the revision, on exactly the tree that is proved now.
    """
    with open_supervisor(invocation) as supervisor:
        try:
            name = supervisor.find(unit)
        except UsageError as error:
            # In other tools this word brings files back, which is `restore` here.
            raise UsageError(
                f"{error.message}; recover is about units of a plan",
                hint="unlost restore brings lost files back, unlost rewind the whole tree",
            ) from error
        return answer_unit(invocation, recover(supervisor, name))
