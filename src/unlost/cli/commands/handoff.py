"""`unlost handoff`: check, verify and resume what an ended worker left."""

from __future__ import annotations

import os
from typing import Final

import click

from unlost.agents.protocol import AgentEvent
from unlost.app.dispatching import dispatch
from unlost.app.handoffs import Handoffs, Resumption
from unlost.cli.agent_choice import configured_agent
from unlost.cli.failures import Failure, failure_text
from unlost.cli.files import read_named_file
from unlost.cli.invocation import Command, Group, Invocation
from unlost.cli.render.handoff import (
    check_document,
    check_text,
    dispatch_document,
    dispatch_text,
    losses_text,
    plan_document,
    plan_text,
    prompt_document,
    resumption_document,
    secret_text,
)
from unlost.cli.render.happening import agent_line
from unlost.facts.quoting import path_text
from unlost.handoff.facts import Handoff, HandoffInvalid
from unlost.handoff.report import report_json
from unlost.handoff.schema import LIMIT, load_handoff
from unlost.handoff.secret_fields import secret_fields
from unlost.settings import read_settings

_READ_LIMIT: Final = 4 * LIMIT
"""More is read than is allowed, so that the refusal can name the size."""


@click.group("handoff", cls=Group, no_args_is_help=False)
def command() -> None:
    """Check, verify and resume what an ended worker left.

    A handoff is a JSON file in which a worker that had to stop says what it knew: decisions, failing tests, exact
    fixes, new files, remaining steps. FILE is `-` for stdin.
    """


@command.command("check", cls=Command, examples=("unlost handoff check handoff.json",))
@click.argument("file", type=click.Path())
@click.pass_obj
def check(invocation: Invocation, file: str) -> int:
    """Say whether a file is a handoff.

    Every fault is named at once, and fields that look as if they held a secret. Exit 2 when it is refused.
    """
    try:
        handoff = load_handoff(read_named_file(file, folder=invocation.folder, limit=_READ_LIMIT))
    except HandoffInvalid as error:
        failure = Failure(message=error.message, exit_code=error.exit_code, problems=error.problems, hint=error.hint)
        invocation.terminal.complain(failure_text(failure, invocation.terminal.talk_palette))
        invocation.answer(check_document(None, error.problems, ()), "")
        return error.exit_code
    secrets = secret_fields(handoff)
    for found in secrets:
        invocation.terminal.complain(secret_text(found))
    invocation.answer(check_document(handoff, (), secrets), check_text(handoff))
    return 0


@command.command("verify", cls=Command, examples=("unlost handoff verify handoff.json --json",))
@click.argument("file", type=click.Path())
@click.pass_obj
def verify(invocation: Invocation, file: str) -> int:
    """Prove what of a handoff's work stands, what is kept elsewhere, and what is lost.

    Changes nothing, neither in the tree nor in .git. Exit 4 when work is lost, 3 when some can be brought back or
    conflicts, else 0.
    """
    with _open(invocation) as handoffs:
        report = handoffs.verify(_load(invocation, file))
    invocation.answer(report_json(report), losses_text(report, invocation.terminal.palette))
    return report.exit_code


@command.command("prompt", cls=Command, examples=("unlost handoff prompt handoff.json | your-agent",))
@click.argument("file", type=click.Path())
@click.pass_obj
def prompt(invocation: Invocation, file: str) -> int:
    """Print the prompt that resumes a handoff's work, whatever state it is in.

    `unlost handoff resume` is the same with a gate before it.
    """
    with _open(invocation) as handoffs:
        report, text = handoffs.prompt(_load(invocation, file))
    _print(invocation, prompt_document(report, text), text)
    return 0


@command.command(
    "resume", cls=Command, dry_run=True, examples=("unlost handoff resume handoff.json --restore | your-agent",)
)
@click.argument("file", type=click.Path())
@click.option("--restore", "bring_back", is_flag=True, help="Bring recoverable work back first; the present is kept.")
@click.pass_obj
def resume(invocation: Invocation, file: str, *, bring_back: bool) -> int:
    """Print the prompt that resumes a handoff's work, unless work can be brought back first.

    Exit 3 with a warning when recoverable work exists: --restore brings it back, verifies again, and then prints.
    No stash is popped, applied or dropped; what is in the tree now is kept in a snapshot.
    """
    with _open(invocation) as handoffs:
        handoff = _load(invocation, file)
        if invocation.dry_run:
            report, plan = handoffs.preview(handoff)
            invocation.answer(plan_document(report, plan), plan_text(plan))
            return 0
        resumption = handoffs.resume(handoff, bring_back=bring_back)
    _tell(invocation, resumption)
    _print(invocation, resumption_document(resumption), resumption.prompt or "")
    return resumption.exit_code


@command.command(
    "dispatch",
    cls=Command,
    examples=("unlost handoff dispatch handoff.json --agent command --command 'your-agent --go' --restore",),
)
@click.argument("file", type=click.Path())
@click.option("--agent", "use", metavar="NAME", required=True, help="The agent to use, over the settings' one.")
@click.option("--command", "argv", metavar="CMD", help="For `command`: the program and its arguments.")
@click.option("--script", metavar="FILE", help="For `scripted`: its steps.")
@click.option("--restore", "bring_back", is_flag=True, help="Bring recoverable work back first; the present is kept.")
@click.pass_obj
def dispatch_handoff(
    invocation: Invocation, file: str, *, use: str, argv: str | None, script: str | None, bring_back: bool
) -> int:
    """Resume a handoff's work, and give the prompt to one attempt of an agent in this tree.

    The gate is the same as of `unlost handoff resume`, and comes before anything about the agent is looked at. There
    is a boundary before the attempt and one after it; exit 4 when it lost work, 1 when the agent ended badly.
    """
    dispatched = dispatch(
        invocation.workspace or invocation.folder,
        read_settings(invocation.environment),
        _load(invocation, file),
        lambda: configured_agent(invocation, use=use, command=argv, script=script),
        folder=os.path.abspath(invocation.folder),
        bring_back=bring_back,
        listen=lambda event: _tell_agent(invocation, event),
    )
    _tell(invocation, dispatched.resumption)
    invocation.answer(dispatch_document(dispatched), dispatch_text(dispatched))
    return dispatched.exit_code


def _tell_agent(invocation: Invocation, event: AgentEvent) -> None:
    """What the agent says and does, only where a person sees it."""
    line = agent_line(event, invocation.terminal.talk_palette) if invocation.terminal.is_interactive else None
    if line is not None:
        invocation.terminal.talk(line)


def _tell(invocation: Invocation, resumption: Resumption) -> None:
    """What a restore did and did not, and the warning of the gate."""
    for path in resumption.brought.restored:
        invocation.terminal.talk(f"restored {path_text(path)}")
    for line in resumption.brought.told:
        invocation.terminal.complain(line)
    if resumption.warning is not None:
        invocation.terminal.complain(resumption.warning)


def _open(invocation: Invocation) -> Handoffs:
    return Handoffs.open(invocation.workspace or invocation.folder, read_settings(invocation.environment))


def _load(invocation: Invocation, file: str) -> Handoff:
    handoff = load_handoff(read_named_file(file, folder=invocation.folder, limit=_READ_LIMIT))
    for found in secret_fields(handoff):
        invocation.terminal.talk(secret_text(found))
    return handoff


def _print(invocation: Invocation, document: dict[str, object], text: str) -> None:
    """The prompt is the answer itself: it is printed with `-q` as well."""
    if invocation.json:
        invocation.terminal.document(document)
    else:
        invocation.terminal.raw(text.encode("utf-8"))
