"""`unlost mcp`: our tools over stdio."""

from __future__ import annotations

import sys

import click

from unlost.app.desk import AttemptDesk
from unlost.app.maintaining import TASK as MAINTENANCE
from unlost.cli.invocation import Command, Invocation
from unlost.host.environment import variable
from unlost.mcp_server.stdio import serve_lines
from unlost.settings import read_settings


def works_here(step: str | None, task: str | None) -> bool:
    """Whether an agent works in the tree itself; researchers, reviewers and the repair of a rebase work apart."""
    return step not in ("research", "review") and task != MAINTENANCE


@click.command("mcp", cls=Command, examples=("claude mcp add unlost -- unlost mcp",))
@click.pass_obj
def command(invocation: Invocation) -> int:
    """Serve unlost's tools to an agent, over MCP on stdin and stdout.

    An agent asks what of the earlier work stands, and brings lost paths back. In an attempt it also hands over, reports
    and asks a person; there unlost serves these tools by itself, at a URL in UNLOST_MCP_URL.
    """
    desk = AttemptDesk(
        outbox=variable("UNLOST_OUTBOX"),
        root=invocation.target,
        settings=read_settings(invocation.environment),
        may_restore=works_here(variable("UNLOST_STEP"), variable("UNLOST_TASK")),
    )
    serve_lines(desk, sys.stdin.buffer, sys.stdout.buffer)
    return 0
