"""The `unlost` command: the table of its commands, and the group that opens them one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import click

from unlost.cli.invocation import UnknownCommand, global_options
from unlost.facts.version import VERSION
from unlost.host.doors import open_door

COMMANDS: Final[Mapping[str, str]] = {
    "mark": "unlost.cli.commands.mark",
    "check": "unlost.cli.commands.check",
    "restore": "unlost.cli.commands.restore",
    "rewind": "unlost.cli.commands.rewind",
    "undo": "unlost.cli.commands.undo",
    "redo": "unlost.cli.commands.redo",
    "accept": "unlost.cli.commands.accept",
    "find": "unlost.cli.commands.find",
    "log": "unlost.cli.commands.log",
    "snapshots": "unlost.cli.commands.snapshots",
    "diff": "unlost.cli.commands.diff",
    "show": "unlost.cli.commands.show",
    "run": "unlost.cli.commands.run",
    "run --": "unlost.cli.commands.run_command",
    "plan": "unlost.cli.commands.plan",
    "status": "unlost.cli.commands.status",
    "watch": "unlost.cli.commands.watch",
    "resume": "unlost.cli.commands.resume",
    "answer": "unlost.cli.commands.answer",
    "stop": "unlost.cli.commands.stop",
    "amend": "unlost.cli.commands.amend",
    "recover": "unlost.cli.commands.recover",
    "publish": "unlost.cli.commands.publish",
    "review": "unlost.cli.commands.review",
    "maintain": "unlost.cli.commands.maintain",
    "brief": "unlost.cli.commands.brief",
    "sources": "unlost.cli.commands.sources",
    "handoff": "unlost.cli.commands.handoff",
    "workspace": "unlost.cli.commands.workspace",
    "demo": "unlost.cli.commands.demo",
    "init": "unlost.cli.commands.init",
    "hooks": "unlost.cli.commands.hooks",
    "mcp": "unlost.cli.commands.mcp",
    "doctor": "unlost.cli.commands.doctor",
    "gc": "unlost.cli.commands.gc",
    "forget": "unlost.cli.commands.forget",
    "completion": "unlost.cli.commands.completion",
}
"""Each command's module: opened only when it is called, so that one command pays for no other.

`run --` is the form of `run` that wraps a command: it shares no option with the form that carries out a plan.
"""

_WRAPPER: Final = "run --"

SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "Keep and bring back": {
        "mark": "Take a boundary: a snapshot of every file, and claims on the work in it.",
        "check": "Prove again that all claimed work still stands in the tree.",
        "restore": "Bring lost paths back, byte for byte.",
        "rewind": "Put the whole tree back as it was at WHEN.",
        "undo": "Take the last restore or rewind back.",
        "redo": "Do again what undo took back.",
        "accept": "Say that a loss was meant so.",
    },
    "Look": {
        "status": "What needs you, and what happened here (also plain `unlost`).",
        "find": "Say what of this repository's work still exists anywhere.",
        "log": "The boundaries of this workspace.",
        "snapshots": "Every snapshot that is kept.",
        "diff": "What differs between two moments.",
        "show": "A snapshot, a file in it, or a unit.",
    },
    "Run": {
        "run": "Run a command, a plan or a goal between boundaries.",
        "plan": "Write a plan file, check one, or make one of another tool's list.",
        "watch": "Follow a unit until it ends.",
        "resume": "Go on with a unit that waits or was interrupted.",
        "answer": "Answer the question of a parked unit.",
        "stop": "End a unit; its work stays.",
        "amend": "Put another plan in force for a unit, on the tree as it is.",
        "review": "Show what a unit's review found, or give your own findings.",
        "publish": "Push a unit's finished work to a branch of its own.",
        "maintain": "Put published work onto a target branch that moved.",
        "recover": "Prove what stands of a unit's work, and open its next revision with the same plan.",
        "brief": "Check a brief, or show what a unit's research came to.",
        "sources": "List what research rests on, or withdraw a source.",
        "handoff": "Check, verify and resume what an ended worker left.",
        "workspace": "List workspaces, carry them elsewhere, bring a worktree's work home.",
    },
    "The tool": {
        "demo": "Watch a loss happen, and be undone, in half a minute.",
        "init": "Register this work tree; nothing is written into it.",
        "hooks": "Save before an agent's commands that discard work.",
        "mcp": "Serve unlost's tools to an agent, over MCP on stdin and stdout.",
        "doctor": "Check this machine and this workspace.",
        "gc": "Let go of old snapshots, in every store of this machine.",
        "forget": "Drop a workspace and all its snapshots.",
        "completion": "Print the completion script of a shell.",
    },
}
"""What `unlost --help` and completion say of each command without opening it; the tests hold both tables together."""

_EXIT_CODES: Final = """\
  0 done, clean             4 work lost
  1 failed                  5 paused by a budget or limit
  2 usage                  70 a bug in unlost
  3 needs a person         75 try later         130 interrupted
"""


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's signature)
        """Every command, in the order of the table."""
        return [name for name in COMMANDS if name != _WRAPPER]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, its module opened now; None for an option, an error for an unknown name."""
        if cmd_name not in COMMANDS:
            if cmd_name.startswith("-") or ctx.resilient_parsing:
                return None
            raise UnknownCommand(cmd_name, ctx)
        command: click.Command = open_door(COMMANDS, cmd_name).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name; `run` with a `--` is the wrapper."""
        if args[0] == "run" and "--" in args:
            return args[0], self.get_command(ctx, _WRAPPER), args[1:]
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's signature)
        """Write the commands by section, without opening any."""
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()), col_max=12)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  (click's signature)
        """Write the exit codes and the first commands to try."""
        with formatter.section("Exit codes"):
            formatter.write(_EXIT_CODES)
        with formatter.section("Examples"):
            formatter.write("  unlost demo\n  unlost mark && your-agent; unlost check\n  unlost run -- your-agent\n")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[click.shell_completion.CompletionItem]:  # noqa: ARG002  (click's signature)
        """Command names with their one-line help, without opening any."""
        return [
            click.shell_completion.CompletionItem(name, help=text)
            for name, text in _summaries()
            if name.startswith(incomplete)
        ]


def _summaries() -> Iterator[tuple[str, str]]:
    for commands in SECTIONS.values():
        yield from commands.items()


@click.group(
    "unlost",
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(VERSION, message="unlost %(version)s")
@click.pass_context
def app(ctx: click.Context) -> int:
    """Agents may crash, hit a cap, be reset, or lie. Your work stays.

    unlost takes a snapshot of a git work tree at every boundary, proves at each later one that finished work
    still stands, and brings back byte for byte what does not. It writes nothing into your repository.
    """
    if ctx.invoked_subcommand is not None:
        return 0
    status: click.Command = open_door(COMMANDS, "status").command
    with status.make_context("status", [], parent=ctx) as child:
        return int(status.invoke(child))


app.params += global_options(hidden=False, dry_run=True)
