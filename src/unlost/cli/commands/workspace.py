"""`unlost workspace`: the work trees that unlost knows, and their ways from place to place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import click

from unlost.cli.invocation import Group
from unlost.host.doors import open_door

COMMANDS: Final[Mapping[str, str]] = {
    "list": "unlost.cli.commands.workspace_list",
    "save": "unlost.cli.commands.workspace_save",
    "restore": "unlost.cli.commands.workspace_restore",
    "adopt": "unlost.cli.commands.workspace_adopt",
    "apply": "unlost.cli.commands.workspace_apply",
    "remove": "unlost.cli.commands.workspace_remove",
}
"""Each command's module, opened when it is called: a save pays for no worktree, and a list for no save."""


class _Commands(Group):
    """The group that opens them."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Every command, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name; an error for an unknown one."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        command: click.Command = open_door(COMMANDS, cmd_name).command
        return command


@click.group("workspace", cls=_Commands, no_args_is_help=False)
def command() -> None:
    """List workspaces, carry them elsewhere, bring a worktree's work home.

    A workspace is one git work tree under unlost's care. `save` and `restore` carry it to another folder or machine;
    `apply` and `remove` end what `unlost run --worktree` began.
    """
