"""A stand-in for an agent that speaks ACP: `python acp_program.py DEED`, the protocol on stdin and stdout.

It answers in the shapes recorded from claude-agent-acp 0.49.0 and codex-acp 2.6.0.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any


def send(**message: object) -> None:
    """One message as a line."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def update(**fields: object) -> None:
    """One `session/update`."""
    send(method="session/update", params={"sessionId": "acp-1", "update": fields})


def call(identity: str, *, kind: str = "execute") -> None:
    """A tool call, announced and then updated, as agents do."""
    update(sessionUpdate="tool_call", toolCallId=identity, title="sed -i", kind=kind, status="pending")
    update(sessionUpdate="tool_call_update", toolCallId=identity, status="completed")


def receive() -> dict[str, Any]:
    """The next message of the client; leaves when there is none any more."""
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message: dict[str, Any] = json.loads(line)
    return message


def edit(prompt: object) -> None:
    """Ask for permission, change the tree, hand in a report, and end the turn."""
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "plain "})
    update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "words"})
    call("call-1", kind="edit")
    Path("file.txt").write_text("changed\n", encoding="utf-8")
    Path(os.environ["UNLOST_OUTBOX"], "report.json").write_text('{"outcome": "completed"}', encoding="utf-8")
    update(sessionUpdate="usage_update", used=12, size=200000, cost={"amount": 0.5, "currency": "USD"})
    send(id=prompt, result={"stopReason": "end_turn", "usage": {"inputTokens": 10, "outputTokens": 2}})


def endure(_prompt: object) -> None:
    """Work on until interrupted, then hand over."""

    def hand_over(_number: int, _frame: object) -> None:
        Path(os.environ["UNLOST_OUTBOX"], "handoff.json").write_text("{}", encoding="utf-8")
        os._exit(0)

    signal.signal(signal.SIGINT, hand_over)
    call("call-1")
    call("call-2")
    while True:
        time.sleep(0.02)


def main(deed: str) -> None:
    """Answer the client until it hangs up."""
    if deed == "fails":
        sys.exit(4)
    while True:
        message = receive()
        match message.get("method"):
            case "initialize":
                can = {"loadSession": True, "mcpCapabilities": {"http": True}}
                send(id=message["id"], result={"protocolVersion": 1, "agentCapabilities": can})
            case "session/new":
                modes = {"currentModeId": "default", "availableModes": [{"id": "default"}, {"id": "acceptEdits"}]}
                send(id=message["id"], result={"sessionId": "acp-1", "modes": modes})
            case "session/load":
                call("call-of-earlier")
                send(id=message["id"], result={})
            case "session/set_mode":
                send(id=message["id"], result={})
            case "session/prompt" if deed == "reports":
                send(id=message["id"], error={"code": -32000, "message": "Authentication required"})
            case "session/prompt":
                (endure if deed == "is told to end" else edit)(message["id"])


if __name__ == "__main__":
    main(sys.argv[1])
