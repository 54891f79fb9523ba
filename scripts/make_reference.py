"""Write docs/reference/commands.md: every command as its own `--help` tells it.

With `--check`, write nothing and exit 1 when the page is not what would be written.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click

from unlost.cli.app import COMMANDS, SECTIONS, app
from unlost.cli.invocation import Command

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "reference" / "commands.md"
_HEAD: Final = """\
# Commands

Made by `scripts/make_reference.py` from the commands themselves; do not edit by hand.

Data goes to stdout, talk to stderr. `--json` answers with one object, also when a command fails
(`unlost.error/1`). WHEN is a boundary number, `-1` (the one before the last), a snapshot id of four digits and more,
a label, or a time: `20m` ago, `14:05`, an ISO date and time.
"""
_EXIT_CODES: Final = """
## Exit codes

| code | meaning |
| --- | --- |
| 0 | done, clean |
| 1 | failed (task, agent, check, restore), or could not be checked |
| 2 | usage, or a file that does not parse |
| 3 | needs a person: parked, blocked, refused |
| 4 | work lost; wins over 3 |
| 5 | paused by a budget or limit |
| 70 | a bug in unlost; a report that can be pasted is printed |
| 75 | try later: somebody else holds the workspace |
| 130 | interrupted |
"""


def page() -> str:
    """The page as text."""
    root = click.Context(app, info_name="unlost")
    parts = [_HEAD, "\n## Options of every command\n\n", _options(root)]
    for title, commands in SECTIONS.items():
        parts.append(f"\n## {title}\n")
        for name in COMMANDS:
            if name.removesuffix(" --") in commands:
                command = app.get_command(root, name)
                assert command is not None, name
                parts += _command(
                    command, click.Context(command, info_name=command.name, parent=root), title=f"unlost {name}"
                )
    return "".join([*parts, _EXIT_CODES])


def _command(command: click.Command, context: click.Context, *, title: str) -> Iterator[str]:
    """One command, then the commands below it."""
    yield f"\n### {title}\n\n"
    yield f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```\n\n"
    yield f"{_prose(command.help or '')}\n"
    options = _options(context)
    if options:
        yield f"\n{options}"
    if isinstance(command, Command):
        yield "\n```sh\n" + "\n".join(command.examples) + "\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None, name
            yield from _command(below, click.Context(below, info_name=name, parent=context), title=f"{title} {name}")


def _options(context: click.Context) -> str:
    rows = [parameter.get_help_record(context) for parameter in context.command.get_params(context)]
    told = [row for row in rows if row is not None and row[1] and not row[0].endswith("--help")]
    if not told:
        return ""
    lines = [f"| `{names.replace('|', chr(92) + '|')}` | {text} |" for names, text in told]
    return "\n".join(["| option | meaning |", "| --- | --- |", *lines]) + "\n"


def _prose(text: str) -> str:
    """Help as Markdown: click's marks are dropped, kept line breaks become a block of text."""
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.split("\n\n") if not paragraph.startswith("\b")]
    return "\n\n".join(paragraphs)


def main(arguments: list[str]) -> int:
    """Write or check the page; returns the exit code."""
    text = page()
    if "--check" in arguments:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        print("docs/reference/commands.md is out of date: python scripts/make_reference.py", file=sys.stderr)
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
