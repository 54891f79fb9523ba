"""`unlost find`: what of this repository's work still exists anywhere."""

from __future__ import annotations

import os
from typing import cast

import click

from unlost.app.finding import find_work
from unlost.cli.invocation import Command, Invocation
from unlost.cli.naming import named_instant, named_paths
from unlost.cli.proving import open_to_prove
from unlost.cli.render.amounts import count
from unlost.cli.render.found import FindDocument, found_text
from unlost.facts.errors import UsageError
from unlost.facts.quoting import path_text
from unlost.host.clock import SystemClock
from unlost.plain.find import Query
from unlost.plain.found import Found
from unlost.settings import read_settings


@click.command(
    "find",
    cls=Command,
    examples=(
        "unlost find",
        "unlost find src/parser.py --since 2h",
        "unlost find --text 'def parse_all' --to /tmp/found",
    ),
)
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[PATH]...")
@click.option("--text", metavar="STRING", help="Only contents that hold this text.")
@click.option("--since", metavar="WHEN", help="Only what is no older than this.")
@click.option("--to", metavar="DIR", type=click.Path(), help="Write the newest of each path into this folder.")
@click.pass_obj
def command(
    invocation: Invocation, *, paths: tuple[str, ...], text: str | None, since: str | None, to: str | None
) -> int:
    """Say what of this repository's work still exists anywhere.

    Looks in stashes (dropped ones too), commits that nothing names, the index, reflogs, other branches and work
    trees, history, unlost's own snapshots, and the copies that VS Code and Claude Code keep. Needs no boundary and
    changes nothing. Without PATH and --text: all that neither the present branch nor the tree holds. Exit 1 when
    nothing is found.
    """
    if to == "":
        raise UsageError("--to names no folder", hint="leave --to out to only look")
    with open_to_prove(invocation) as workspace:
        query = Query(
            paths=tuple(named_paths(invocation, workspace, paths)),
            text=None if text is None else os.fsencode(text),
            since=None if since is None else named_instant(workspace, since),
        )
        where = None if to is None else os.path.abspath(os.path.join(invocation.folder, to))
        found = find_work(workspace, read_settings(invocation.environment), query, to=where)
    document = cast("FindDocument", found.to_json())
    invocation.answer(
        found.to_json(), found_text(document, invocation.terminal.palette, now=SystemClock().now(), to=to)
    )
    _tell(invocation, found, to)
    return found.exit_code


def _tell(invocation: Invocation, found: Found, to: str | None) -> None:
    """What was written, what could not be, and whether a bound was reached."""
    if not found.search.complete:
        invocation.terminal.talk("there is more than was looked at; name a PATH or a --since")
    if found.placed is None:
        return
    written = len(found.placed.restored) + len(found.placed.already)
    invocation.terminal.talk(f"written into {to}: {count(written, 'file')}")
    for failure in found.placed.failed:
        invocation.terminal.complain(f"not written: {path_text(failure.path)}: {failure.reason.replace('_', ' ')}")
