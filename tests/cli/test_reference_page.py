from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import click
import pytest

from unlost.cli.app import COMMANDS, SECTIONS, app
from unlost.cli.invocation import Command

ROOT = Path(__file__).parents[2]


def every_command() -> list[tuple[str, click.Command]]:
    """Each command with its words, those below groups too."""
    context = click.Context(app, info_name="unlost")
    found: list[tuple[str, click.Command]] = []
    for name in COMMANDS:
        command = app.get_command(context, name)
        assert command is not None
        found.append((name, command))
        if isinstance(command, click.Group):
            found += [(f"{name} {below.name}", below) for below in command.commands.values()]
    return found


def test_the_page_of_commands_is_up_to_date() -> None:
    """`docs/reference/commands.md` is what the commands say of themselves (`python scripts/make_reference.py`)."""
    script: dict[str, Any] = runpy.run_path(str(ROOT / "scripts" / "make_reference.py"))

    assert (ROOT / "docs" / "reference" / "commands.md").read_text() == script["page"]()


@pytest.mark.parametrize(
    ("name", "command"), every_command(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_every_command_is_told_with_an_example(name: str, command: click.Command) -> None:
    """Help of every command: one sentence first, an example that begins with the command's own words."""
    if isinstance(command, Command):
        assert any(name.removesuffix(" --") in example for example in command.examples)
    assert (command.help or "").split("\n")[0].endswith((".", ":", "`)."))


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "run --"])
def test_the_table_says_what_the_command_says(name: str) -> None:
    """The summary that `unlost --help` shows without opening a command is the command's own first sentence."""
    summaries = {name: text for commands in SECTIONS.values() for name, text in commands.items()}
    command = app.get_command(click.Context(app), name)
    assert command is not None

    assert " ".join((command.help or "").split("\n\n")[0].split()) == summaries[name]
