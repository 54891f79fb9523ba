"""`unlost check`: prove again that all claimed work still stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import click

from unlost.cli.invocation import Command, Invocation
from unlost.cli.keeping import open_keeper
from unlost.cli.naming import named_snapshot
from unlost.cli.render.verdict import check_text, next_steps
from unlost.facts.errors import UsageError

if TYPE_CHECKING:
    from unlost.cli.render.documents import CheckDocument

_TAKE_ONE: Final = "`unlost mark` takes the first boundary"


@click.command("check", cls=Command, examples=("unlost check", "unlost check --since 'before lunch' --json"))
@click.option("--since", metavar="WHEN", help="Prove against an earlier boundary than the last one.")
@click.option("--paranoid", is_flag=True, help="Read every file again instead of trusting what the system says of it.")
@click.pass_obj
def command(invocation: Invocation, *, since: str | None, paranoid: bool) -> int:
    """Prove again that all claimed work still stands in the tree.

    Exit 4 when work, a commit or a stash is lost; each loss is told with the command that brings it back. Nothing is
    changed. A loss stays open until its content is back or a person accepts it.
    """
    with open_keeper(invocation) as workspace:
        snapshot = None if since is None else named_snapshot(workspace, since)
        checked = workspace.check(since=snapshot, paranoid=paranoid)
    document = cast("CheckDocument", checked.to_json())
    if document["verdict"] == "no_boundary" and not invocation.json:
        raise UsageError("there is no boundary yet, so there is nothing to prove", hint=_TAKE_ONE)
    is_clean = checked.exit_code == 0
    invocation.answer(checked.to_json(), check_text(document, invocation.terminal.palette), even_quiet=not is_clean)
    hint = _TAKE_ONE if document["verdict"] == "no_boundary" else next_steps(document)
    if hint is not None:
        invocation.terminal.talk(f"{invocation.terminal.talk_palette.strong('hint:')} {hint}")
    return checked.exit_code
