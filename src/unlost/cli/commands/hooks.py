"""`unlost hooks`: our hook in the settings of agents that unlost does not start."""

from __future__ import annotations

from collections.abc import Callable

import click

from unlost.app.hook_files import AGENTS, SCOPES, HookFile, Scope, hook_file, hook_files, install, uninstall
from unlost.cli.invocation import Command, Group, Invocation
from unlost.cli.render.hooks import hook_document, installed_text, status_text, uninstalled_text
from unlost.facts.errors import NotARepository
from unlost.git.repository import discover
from unlost.settings import read_settings


@click.group("hooks", cls=Group, no_args_is_help=False)
def command() -> None:
    """Save before an agent's commands that discard work.

    The hook keeps a snapshot before `git checkout -- PATH`, `git reset --hard`, `git clean`, `rm -rf` and their like,
    tells the agent at its start what must stay, and takes a boundary when it stops. Agents that unlost starts get it
    by themselves; this is for all others.
    """


def _scoped(function: Callable[..., int]) -> Callable[..., int]:
    """The argument AGENT, and the options that say which of its settings files is meant."""
    for scope in reversed(SCOPES):
        option = click.option(f"--{scope}", "scope", flag_value=scope, default=None, help=_HELP[scope])
        function = option(function)
    return click.argument("agent", type=click.Choice(list(AGENTS)))(function)


_HELP = {
    "local": "This repository, for you alone (the default for claude).",
    "user": "Every repository of yours (the default for codex).",
    "project": "This repository, for everybody: in the file that is committed, without a path of this machine.",
}


@command.command("install", cls=Command, examples=("unlost hooks install claude", "unlost hooks install codex --user"))
@_scoped
@click.pass_obj
def install_hook(invocation: Invocation, *, agent: str, scope: Scope | None) -> int:
    """Put the hook into an agent's settings file, and show what was written."""
    file = _file(invocation, agent, scope)
    written = install(file, home=read_settings(invocation.environment).home)
    standing = _file(invocation, agent, file.scope)
    invocation.answer(hook_document("install", [standing]), installed_text(standing, written))
    return 0


@command.command("uninstall", cls=Command, examples=("unlost hooks uninstall claude",))
@_scoped
@click.pass_obj
def uninstall_hook(invocation: Invocation, *, agent: str, scope: Scope | None) -> int:
    """Take the hook out again: the file is what it was before, byte for byte, unless it was edited since."""
    file = _file(invocation, agent, scope)
    was_there = uninstall(file, home=read_settings(invocation.environment).home)
    invocation.answer(
        hook_document("uninstall", [_file(invocation, agent, file.scope)]), uninstalled_text(file, was_there=was_there)
    )
    return 0


@command.command("status", cls=Command, examples=("unlost hooks status",))
@click.pass_obj
def status(invocation: Invocation) -> int:
    """Say which settings files call the hook."""
    files = hook_files(root=_root(invocation), environment=invocation.environment)
    invocation.answer(hook_document("status", files), status_text(files))
    return 0


def _file(invocation: Invocation, agent: str, scope: Scope | None) -> HookFile:
    return hook_file(agent, scope, root=_root(invocation), environment=invocation.environment)


def _root(invocation: Invocation) -> str | None:
    try:
        return discover(invocation.target).root
    except NotARepository:
        return None
