"""`unlost diff`: what differs between two moments."""

from __future__ import annotations

import click

from unlost.cli.invocation import Command, Invocation
from unlost.cli.naming import named_paths, named_snapshot
from unlost.cli.opening import open_workspace
from unlost.cli.render.difference import diff_text


class DiffCommand(Command):
    """`diff A [B] [-- PATH...]`: what stands behind the `--` is a path, also when B is left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the paths behind the `--` apart from the moments before it."""
        end = args.index("--") if "--" in args else len(args)
        ctx.meta[__name__] = tuple(args[end + 1 :])
        return super().parse_args(ctx, args[:end])


@click.command(
    "diff",
    cls=DiffCommand,
    takes_when=True,
    examples=("unlost diff 3", "unlost diff -1 20m", "unlost diff 3 -- src/parser.py"),
)
@click.argument("before", metavar="A")
@click.argument("after", metavar="[B] [-- PATH...]", required=False)
@click.pass_context
def command(ctx: click.Context, *, before: str, after: str | None) -> int:
    """What differs between two moments.

    A and B are WHENs; without B, the present. Text is shown as a unified diff.
    """
    invocation: Invocation = ctx.obj
    with open_workspace(invocation) as workspace:
        paths = named_paths(invocation, workspace, ctx.meta[__name__])
        start = named_snapshot(workspace, before)
        diffed = workspace.diff(start, None if after is None else named_snapshot(workspace, after), paths)
    invocation.answer(diffed.to_json(), diff_text(diffed.paths, invocation.terminal.palette))
    return 0
