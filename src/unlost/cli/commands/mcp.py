"""`unlost mcp`: our tools over stdio."""

from __future__ import annotations

import sys

import click

from unlost.app.desk import AttemptDesk
from unlost.cli.invocation import Command, Invocation
from unlost.host.environment import variable
from unlost.mcp_server.stdio import serve_lines
from unlost.settings import read_settings


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
        may_restore=variable("UNLOST_STEP") != "research",
    )
    serve_lines(desk, sys.stdin.buffer, sys.stdout.buffer)
    return 0
