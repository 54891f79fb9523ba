"""`unlost rewind`: the tree as it was."""

from __future__ import annotations

import click

from unlost.cli.answers import answer_restored
from unlost.cli.invocation import Command, Invocation
from unlost.cli.naming import named_paths, named_snapshot
from unlost.cli.opening import open_workspace


@click.command(
    "rewind",
    cls=Command,
    dry_run=True,
    takes_when=True,
    examples=("unlost rewind -1", "unlost rewind 14:05 -n", "unlost rewind 3 src/parser"),
)
@click.argument("when")
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[PATH...]")
@click.pass_obj
def command(invocation: Invocation, *, when: str, paths: tuple[str, ...]) -> int:
    """Put the whole tree back as it was at WHEN.

    Exactly: files made since are removed. All of the present is kept in a snapshot first, so `unlost undo` takes the
    rewind back. HEAD, branches and the index stay as they are. With PATH, only what is there or below it.
    """
    with open_workspace(invocation) as workspace:
        names = named_paths(invocation, workspace, paths)
        source = named_snapshot(workspace, when)
        rewound = workspace.rewind(source, names, dry_run=invocation.dry_run)
    return answer_restored(invocation, rewound)
