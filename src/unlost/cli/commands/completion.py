"""`unlost completion`: the script that teaches a shell the commands."""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import get_completion_class

from unlost.cli.invocation import Command, Invocation

_WHERE: Final = {
    "bash": '  eval "$(unlost completion bash)"          in ~/.bashrc (bash 4.4 or later)',
    "zsh": '  eval "$(unlost completion zsh)"           in ~/.zshrc',
    "fish": "  unlost completion fish > ~/.config/fish/completions/unlost.fish",
}


@click.command("completion", cls=Command, examples=tuple(line.strip() for line in _WHERE.values()))
@click.argument("shell", type=click.Choice(tuple(_WHERE)))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the completion script of a shell.

    The script asks unlost itself for names, so it need not be made again after an update.
    """
    invocation: Invocation = ctx.obj
    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(ctx.find_root().command, {}, "unlost", "_UNLOST_COMPLETE").source()
    invocation.answer({"schema": "unlost.completion/1", "shell": shell, "script": script}, script)
    return 0
