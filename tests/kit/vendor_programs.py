"""Stand-ins for the vendors' programs: shell scripts named `claude` and `codex` that print lines as those print them.

The lines were recorded from Claude Code 2.1.197 and Codex 0.171.0, with what no adapter reads left out.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Line = dict[str, Any]


def claude_init(session: str = "s-1") -> Line:
    """The first line of a session."""
    return {"type": "system", "subtype": "init", "session_id": session, "model": "claude-opus-4-8[1m]", "tools": []}


def claude_message(*content: Line, identity: str = "msg_1", tokens: int = 0, model: str = "claude-opus-4-8") -> Line:
    """A message of the model, or the part of one: a part repeats id and usage."""
    usage = {"input_tokens": tokens, "output_tokens": 1, "cache_read_input_tokens": 7000}
    message = {"id": identity, "model": model, "content": list(content), "usage": usage}
    return {"type": "assistant", "message": message, "session_id": "s-1", "parent_tool_use_id": None}


def claude_call(call: str, command: str) -> Line:
    """A call of the shell, as part of a message."""
    return {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command, "description": "run it"}}


def claude_text(text: str) -> Line:
    """Words, as part of a message."""
    return {"type": "text", "text": text}


def claude_result(**over: object) -> Line:
    """The last line; `over` replaces or adds keys."""
    usage = {"input_tokens": 8, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 7000, "output_tokens": 2}
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "api_error_status": None,
        "num_turns": 2,
        "result": "Done.",
        "session_id": "s-1",
        "total_cost_usd": 0.5,
        "usage": usage,
        "permission_denials": [],
        **over,
    }


def codex_item(kind: str, identity: str, *, state: str = "completed", **fields: object) -> Line:
    """One item of a turn."""
    return {"type": f"item.{state}", "item": {"id": identity, "type": kind, **fields}}


def codex_usage(fresh: int, written: int, cached: int = 0) -> Line:
    """The end of a turn that went well; counts are those of the whole conversation."""
    usage = {"input_tokens": fresh + cached, "cached_input_tokens": cached, "output_tokens": written}
    return {"type": "turn.completed", "usage": {**usage, "cache_write_input_tokens": 0, "reasoning_output_tokens": 0}}


def as_bytes(line: Line) -> bytes:
    """A line as an adapter is given it."""
    return json.dumps(line).encode()


def install(folder: Path, program: str, *steps: Line | str) -> None:
    """Write a program that takes its prompt, then prints each line and runs each text as shell."""
    folder.mkdir(parents=True, exist_ok=True)
    shell = [step if isinstance(step, str) else f"printf '%s\\n' {shlex.quote(json.dumps(step))}" for step in steps]
    script = folder / program
    script.write_text("\n".join(["#!/bin/sh", "cat >/dev/null", *shell, ""]), encoding="utf-8")
    script.chmod(0o755)


EDIT = 'echo changed > file.txt; echo \'{"outcome": "completed"}\' > "$UNLOST_OUTBOX/report.json"'
"""What a stand-in does when it is to edit: the tree changes, and the report is handed over."""

HAND_OVER = 'trap \'echo "{}" > "$UNLOST_OUTBOX/handoff.json"; exit 0\' INT'
"""A stand-in that hands over when it is interrupted, from here on: it stands before the line that brings that about."""

ENDURE = "while :; do sleep 0.02; done"
"""A stand-in that goes on until it is interrupted."""

CLAUDE_DEEDS: dict[str, Sequence[Line | str]] = {
    "edits": (
        claude_init(),
        claude_message(claude_text("plain words"), tokens=3),
        claude_message(claude_call("toolu_1", "echo changed > file.txt"), tokens=3),
        EDIT,
        claude_result(),
    ),
    "fails": ("exit 4",),
    "reports": (claude_init(), claude_result(is_error=True, api_error_status=401, result="Invalid API key"), "exit 1"),
    "is told to end": (
        HAND_OVER,
        claude_init(),
        claude_message(claude_call("toolu_1", "true"), identity="msg_1"),
        claude_message(claude_call("toolu_2", "true"), identity="msg_2"),
        ENDURE,
    ),
}
CODEX_DEEDS: dict[str, Sequence[Line | str]] = {
    "edits": (
        {"type": "thread.started", "thread_id": "t-1"},
        {"type": "turn.started"},
        codex_item("agent_message", "item_0", text="plain words"),
        codex_item("command_execution", "item_1", state="started", command="echo", exit_code=None),
        codex_item("command_execution", "item_1", command="echo", exit_code=0),
        EDIT,
        codex_usage(10, 2, cached=7000),
    ),
    "fails": ("exit 4",),
    "reports": (
        {"type": "thread.started", "thread_id": "t-1"},
        {"type": "error", "message": "Reconnecting... 1/1 (unexpected status 401 Unauthorized)"},
        {"type": "turn.failed", "error": {"message": "unexpected status 401 Unauthorized"}},
        "exit 1",
    ),
    "is told to end": (
        HAND_OVER,
        codex_item("command_execution", "item_1", state="started", command="true"),
        codex_item("command_execution", "item_2", state="started", command="true"),
        ENDURE,
    ),
}
