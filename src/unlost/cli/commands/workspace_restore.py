"""`unlost workspace restore`: a root of a workspace's newest save, here or on another place."""

from __future__ import annotations

import os
import shlex

import click

from unlost.app.inside_attempt import refuse_inside_attempt
from unlost.app.moving import restore_to
from unlost.app.workspaces import on_this_machine
from unlost.cli.invocation import Command, Invocation
from unlost.cli.progress import Progress
from unlost.cli.render.moved import restored_root_text
from unlost.workspace.failures import RestoreFailed, RestoreRefused, RestoreSuperseded, RestoreUnreachable
from unlost.workspace.transports.targets import read_target


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
    refuse_inside_attempt()
    prefix = () if through is None else tuple(shlex.split(through))
    target = read_target(to, folder=os.path.abspath(invocation.folder), prefix=prefix)
    with Progress(invocation.terminal) as progress, on_this_machine(invocation.environment) as machine:
        try:
            restored = restore_to(
                machine,
                name,
                target,
                place=place,
                allow_empty=allow_empty,
                private=private,
                abandon=abandon,
                say=progress,
            )
        except (RestoreRefused, RestoreSuperseded, RestoreUnreachable, RestoreFailed) as error:
            if not invocation.json:
                raise
            invocation.terminal.document(error.report.to_json())
            return error.exit_code
    invocation.answer(restored.report.to_json(), restored_root_text(restored))
    return 0
