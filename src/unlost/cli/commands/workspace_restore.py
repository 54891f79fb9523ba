"""`unlost workspace restore`: a root of a workspace's newest save, here or on another place."""

from __future__ import annotations

import click

from unlost.cli.invocation import Command, Invocation
from unlost.cli.restoring import carry_out


@click.command(
    "restore",
    cls=Command,
    examples=(
        "unlost workspace restore w-3f9c2a7b1d04 --to ../box",
        "unlost workspace restore w-3f9c2a7b1d04 --to ssh://me@build-7/srv/work",
        "unlost workspace restore w-3f9c2a7b1d04 --to /work --through 'docker exec -i box'",
    ),
)
@click.argument("name", metavar="ID")
@click.option("--to", required=True, metavar="ROOT|ssh://HOST/ROOT", help="The root to make.")
@click.option("--place", metavar="NAME", help="What that place is called; by default what it calls itself.")
@click.option("--allow-empty", is_flag=True, help="Take an empty folder for the root, too.")
@click.option("--private", is_flag=True, help="Put the precious ignored files there, where they were saved.")
@click.option("--abandon", is_flag=True, help="Give up what an earlier writer did not save.")
@click.option("--through", metavar="CMD", help="Reach ROOT behind this command, such as 'docker exec -i NAME'.")
@click.pass_obj
def command(
    invocation: Invocation,
    *,
    name: str,
    to: str,
    place: str | None,
    allow_empty: bool,
    private: bool,
    abandon: bool,
    through: str | None,
) -> int:
    """Make a root of a workspace's newest save, here or on another place.

    The writer's epoch rises: whoever held the workspace before is refused from then on. A root that is occupied stays
    as it is (exit 3), unless the ledger proves that it is this workspace's own retired one; that one is replaced, or
    kept where it is already what was saved. The place needs python3 (3.11), nothing of unlost's.
    """
    return carry_out(
        invocation,
        name=name,
        to=to,
        place=place,
        allow_empty=allow_empty,
        private=private,
        abandon=abandon,
        through=through,
    )
