"""`unlost plan`: write a plan file, or check one."""

from __future__ import annotations

import os
from typing import Final

import click

from unlost.cli.failures import Failure, failure_text
from unlost.cli.files import STDIN, read_named_file, write_new_file
from unlost.cli.invocation import Command, Group, Invocation
from unlost.cli.render.amounts import count
from unlost.facts.errors import UsageError
from unlost.plan.facts import MAXIMUM_BYTES
from unlost.plan.report import plan_report
from unlost.plan.template import PLAN_TEMPLATE

_DEFAULT_FILE: Final = "plan.toml"


@click.group("plan", cls=Group, no_args_is_help=False)
def command() -> None:
    """Write a plan file, or check one.

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
    checks = len(report.plan.checks) + sum(len(task.checks) for task in report.plan.tasks)
    parts = [count(len(report.plan.tasks), "task"), count(checks, "check"), f"digest {report.digest}"]
    invocation.answer(report.to_json(), " · ".join(parts))
    return 0
