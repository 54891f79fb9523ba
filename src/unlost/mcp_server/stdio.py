"""The same tools for an agent that starts its servers itself: a line a message on stdin and stdout."""

from __future__ import annotations

from typing import BinaryIO

from unlost.mcp_server.desk import Desk
from unlost.mcp_server.messages import answer_body
from unlost.mcp_server.serve import LIMIT


def serve_lines(desk: Desk, incoming: BinaryIO, outgoing: BinaryIO) -> None:
    """Answer until the client hangs up; a line that is too long ends it, for what follows is no line."""
    while line := incoming.readline(LIMIT + 1):
        if len(line) > LIMIT:
            return
        answer = answer_body(desk, line) if line.strip() else None
        if answer is not None:
            outgoing.write(answer + b"\n")
            outgoing.flush()
