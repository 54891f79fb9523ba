"""What the global options of one command line say, and the class of every command that takes them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import click

from unlost.cli.invoked import Invocation as Invocation  # noqa: PLC0414  (the explicit form of a re-export)
from unlost.cli.invoked import invocation_of
from unlost.cli.palette import COLOR_MODES

_META: Final = "unlost.cli.invocation"
_BACK: Final = re.compile(r"^-(\d+)$")


class Command(click.Command):
    """A click command with the global options, examples in its help, and an `Invocation` as its object.

    `dry_run` says that the command understands `-n`; any other refuses it instead of ignoring it. `takes_when` says
    that an argument may be a WHEN: then `-1` is one, and no option.
    """

    def __init__(
        self,
        *args: Any,
        examples: Sequence[str],
        dry_run: bool = False,
        takes_when: bool = False,
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **attributes)
        self.examples = tuple(examples)
        self.takes_dry_run = dry_run
        self.takes_when = takes_when
        self.params += global_options(hidden=True, dry_run=False)
        if dry_run:
            self.params.append(_dry_run_option(hidden=False))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; `-1` before a `--` becomes `~1`, the other spelling of the same WHEN."""
        if self.takes_when:
            end = args.index("--") if "--" in args else len(args)
            args = [_BACK.sub(r"~\1", argument) for argument in args[:end]] + args[end:]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Call the command with its `Invocation`."""
        invocation = _invocation(ctx)
        if invocation.dry_run and not self.takes_dry_run:
            raise click.UsageError(f"`{self.name}` has no dry run (-n)", ctx)
        ctx.obj = invocation
        return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, and where the options of every command are told."""
        super().format_epilog(ctx, formatter)
        with formatter.section("Examples"):
            formatter.write("".join(f"  {example}\n" for example in self.examples))
        formatter.write("\n--json, -C, --workspace, -q, -y and --color work with every command: see `unlost --help`.\n")


class Group(click.Group):
    """A command with commands of its own (`unlost plan check`), which takes the global options as well."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params += global_options(hidden=True, dry_run=False)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name below this one; an error for an unknown name."""
        known = super().get_command(ctx, cmd_name)
        if known is None and not (cmd_name.startswith("-") or ctx.resilient_parsing):
            raise UnknownCommand(cmd_name, ctx)
        return known


class UnknownCommand(click.UsageError):
    """A name that is no command of the group in `ctx`."""

    def __init__(self, name: str, ctx: click.Context) -> None:
        super().__init__(f"`{ctx.command_path}` has no command {name!r}", ctx)
        self.name = name


def global_options(*, hidden: bool, dry_run: bool) -> list[click.Parameter]:
    """Fresh copies of the options that stand before or after a command's name."""
    options: list[click.Parameter] = [
        _option(["--json"], hidden=hidden, is_flag=True, help="Answer with one JSON object on stdout."),
        _option(["-C", "folder"], hidden=hidden, metavar="DIR", help="Act as if started in DIR."),
        _option(
            ["--workspace"],
            hidden=hidden,
            metavar="ROOT|ID",
            help="The workspace to act on, also when its folder is gone.",
        ),
        _option(["-q", "--quiet"], hidden=hidden, is_flag=True, help="Say nothing when all is well."),
        _option(["-y", "--yes", "assume_yes"], hidden=hidden, is_flag=True, help="Answer yes to every question."),
        _option(
            ["--color"],
            hidden=hidden,
            type=click.Choice(COLOR_MODES),
            help="When to colour; NO_COLOR and FORCE_COLOR count too.",
        ),
    ]
    return [*options, _dry_run_option(hidden=hidden)] if dry_run else options


def _dry_run_option(*, hidden: bool) -> click.Option:
    help_text = "Show what would happen; change nothing."
    return _option(["-n", "--dry-run", "dry_run"], hidden=hidden, is_flag=True, help=help_text)


def _option(declarations: Sequence[str], **attributes: Any) -> click.Option:
    return click.Option(declarations, expose_value=False, callback=_remember, default=None, **attributes)


def _remember(ctx: click.Context, option: click.Parameter, value: object) -> None:
    """Keep a given option in the state that all contexts of a command line share; the later place wins."""
    if value is not None:
        ctx.meta.setdefault(_META, {})[option.name] = value


def _invocation(ctx: click.Context) -> Invocation:
    return invocation_of(dict(ctx.meta.get(_META, {})))
