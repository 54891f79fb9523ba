"""`unlost plan`: write a plan file, check one, or make one of another tool's list."""

from __future__ import annotations

import os
from typing import Final

import click

from unlost.cli.failures import Failure, failure_text
from unlost.cli.files import STDIN, read_named_file, write_new_file
from unlost.cli.invocation import Command, Group, Invocation
from unlost.cli.ordered import order_from_file
from unlost.cli.render.amounts import count
from unlost.cli.render.plan import told_order
from unlost.facts.errors import UsageError
from unlost.facts.quoting import clean
from unlost.plan.digest import plan_digest
from unlost.plan.facts import MAXIMUM_BYTES
from unlost.plan.formats import OWN
from unlost.plan.report import plan_report
from unlost.plan.template import PLAN_TEMPLATE
from unlost.plan.writing import plan_toml

_DEFAULT_FILE: Final = "plan.toml"


@click.group("plan", cls=Group, no_args_is_help=False)
def command() -> None:
    """Write a plan file, check one, or make one of another tool's list.

    A plan is a TOML file (or Markdown with a TOML head) that holds a goal and its tasks.
    """


@command.command("new", cls=Command, examples=("unlost plan new", "unlost plan new work.toml", "unlost plan new -"))
@click.argument("file", type=click.Path(), default=_DEFAULT_FILE)
@click.pass_obj
def new(invocation: Invocation, file: str) -> int:
    """Write a plan to fill in.

    FILE is plan.toml when left out, `-` for stdout. An existing file is never written over.
    """
    if file == STDIN:
        invocation.answer({"schema": "unlost.plan_new/1", "file": None, "text": PLAN_TEMPLATE}, PLAN_TEMPLATE)
        return 0
    write_new_file(file, PLAN_TEMPLATE.encode("utf-8"), folder=invocation.folder)
    document = {"schema": "unlost.plan_new/1", "file": os.path.relpath(file), "text": PLAN_TEMPLATE}
    invocation.answer(document, f"{file} is written; fill it in, then `unlost plan check {file}`")
    return 0


@command.command("check", cls=Command, examples=("unlost plan check plan.toml", "unlost plan check plan.md --json"))
@click.argument("file", type=click.Path())
@click.pass_obj
def check(invocation: Invocation, file: str) -> int:
    """Say whether a plan can be run, and its digest.

    Every problem is named with its line; nothing is started. Exit 2 when there is one.
    """
    data = read_named_file(file, folder=invocation.folder, limit=MAXIMUM_BYTES)
    report = plan_report(data, name=os.path.basename(file))
    if report.plan is None:
        told = count(len(report.problems), "problem")
        failure = Failure(message=f"{file} has {told}", exit_code=UsageError.exit_code, problems=report.problems)
        invocation.terminal.complain(failure_text(failure, invocation.terminal.talk_palette))
        invocation.answer(report.to_json(), "")
        return failure.exit_code
    order = order_from_file(invocation, file)
    checks = len(order.plan.checks) + sum(len(task.checks) for task in order.plan.tasks)
    digest = plan_digest(order.plan)
    parts = [count(len(order.plan.tasks), "task"), count(checks, "check"), f"digest {digest}"]
    if order.format != OWN:
        parts.insert(0, f"read as {order.format}")
    invocation.answer({**report.to_json(), "digest": digest, "format": order.format}, " · ".join(parts))
    return 0


@command.command(
    "import",
    cls=Command,
    examples=(
        "unlost plan import specs/001-login/tasks.md",
        "unlost plan import prd.json -o plan.toml",
        "unlost plan import TODO.md --check 'make test' -o plan.toml",
    ),
)
@click.argument("file", type=click.Path())
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Write the plan there instead of to stdout.")
@click.option("--check", "checks", metavar="CMD", multiple=True, help="A command that must succeed at the end.")
@click.pass_obj
def import_plan(invocation: Invocation, file: str, output: str | None, checks: tuple[str, ...]) -> int:
    """Make a plan of the list that another tool keeps.

    Reads superpowers plans, spec-kit and OpenSpec tasks.md, Task Master's tasks.json, Ralph's prd.json, beads issues as
    JSON, and any Markdown with boxes to tick; which it is tells the content. Ticked entries become tasks, too: to be
    proven. With --check they are held to that command, and so is the end. FILE is only read, and an existing plan is
    never written over. `unlost run FILE` does the same without a file between.
    """
    order = order_from_file(invocation, file, None, checks)
    if order.format == OWN:
        raise UsageError(f"{file} is a plan of unlost already", hint=f"unlost run {file}")
    head = f"Made of {clean(os.path.basename(file), one_line=True)} ({order.format}), which stays as it is."
    text, digest = plan_toml(order.plan, head=head), plan_digest(order.plan)
    document = {
        "schema": "unlost.plan_import/1",
        "digest": digest,
        "format": order.format,
        "file": output,
        "text": text,
    }
    invocation.terminal.talk(told_order(order, digest))
    if output is None or output == STDIN:
        invocation.answer({**document, "file": None}, text, even_quiet=True)
        return 0
    write_new_file(output, text.encode("utf-8"), folder=invocation.folder)
    invocation.answer(document, f"{output} is written; look at it, then `unlost run {output}`")
    return 0
