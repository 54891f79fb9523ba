"""Codex as an agent: `codex exec --json`, the prompt on stdin.

What it says of itself is not always so (docs/agents.md): an `error` item may be a mere warning; usage counts the whole
conversation, also what earlier runs of it used; it names no price, no model and no cap of its own; a call that a hook
refused leaves no event. Everything is set by arguments: nothing is written into the person's `CODEX_HOME`.
"""

from __future__ import annotations

import json
import signal
from typing import Any, Final

from unlost.agents.json_lines import read_object, table, tables, text, whole
from unlost.agents.limits import limit_of
from unlost.agents.protocol import (
    AgentEvent,
    AgentSettings,
    Ended,
    Errand,
    Heard,
    Launch,
    Permissions,
    Said,
    Started,
    ToolCall,
    Usage,
)
from unlost.agents.vendors import MCP_SERVER, NETWORK, as_said, hook_table, installed, judged_by_exit
from unlost.facts.quoting import cut

PACKAGE: Final = "@openai/codex"
TESTED: Final = "0.171.0"
"""The version that `make test-all` runs."""

_VARIABLES: Final = (*NETWORK, "OPENAI_*", "CODEX_HOME", "CODEX_API_KEY", "AZURE_OPENAI_*", "RUST_LOG")
_PERMISSIONS: Final[dict[Permissions, dict[str, object]]] = {
    # Its sandbox writes below the folder and the outbox alone and keeps `.git` read-only.
    "edit": {"approval_policy": "never", "sandbox_mode": "workspace-write", "web_search": "disabled"},
    "all": {"approval_policy": "never", "sandbox_mode": "danger-full-access"},
    "user": {},
}
_CALLS: Final = frozenset({"command_execution", "file_change", "mcp_tool_call", "web_search", "collab_tool_call"})
_LONGEST_DETAIL: Final = 500


def agent(settings: AgentSettings) -> Codex:
    """The adapter for `[agent] use = "codex"`. Raises UsageError when the program is not installed."""
    return Codex(settings, installed("codex", package=PACKAGE))


class Codex:
    """One run of `codex exec`."""

    variables: tuple[str, ...] = _VARIABLES
    carries_on: bool = True

    def __init__(self, settings: AgentSettings, program: str) -> None:
        self._settings = settings
        self._program = program
        self._used_before = 0
        self._result: Ended | None = None
        self._last_error: str | None = None

    def launch(self, errand: Errand) -> Launch:
        """The program with the plan's permissions; SIGINT ends it."""
        self._used_before = errand.session_tokens
        argv = [self._program, "exec"]
        argv += ["resume", errand.session] if errand.session else []
        argv += ["--json", "--skip-git-repo-check"]
        if self._settings.model:
            argv += ["--model", self._settings.model]
        configuration: dict[str, object] = {
            "check_for_update_on_startup": False,
            **_PERMISSIONS[self._settings.permissions],
            "sandbox_workspace_write.writable_roots": [errand.outbox],
        }
        if self._settings.guard:
            argv.append("--dangerously-bypass-hook-trust")  # ours is new to it, and an untrusted hook is left out
            table_of_hooks = hook_table(self._settings.guard)
            configuration |= {f"hooks.{moment}": entries for moment, entries in table_of_hooks.items()}
        if errand.mcp_url:
            # `required` makes it wait for the server instead of starting without our tools.
            server = {"url": errand.mcp_url, "required": True, "default_tools_approval_mode": "approve"}
            configuration[f"mcp_servers.{MCP_SERVER}"] = server
        for key, value in configuration.items():
            argv += ["-c", f"{key}={_toml(value)}"]
        return Launch(argv=(*argv, "-"), cancel_signal=signal.SIGINT)

    def listen(self, line: bytes, dropped: int) -> Heard:
        """One line of its JSON; what is none, or was cut, is said."""
        value = read_object(line) if dropped == 0 else None
        if value is None:
            return as_said(line, dropped)
        return Heard(events=self._events(value))

    def cancel(self) -> bytes:
        """No words: the launch names a signal."""
        return b""

    def conclude(self, exit_code: int | None) -> Ended:
        """The end of its turn when it told one; without it there was no good end, whatever the exit code."""
        if self._result is not None and (self._result.error is not None or exit_code == 0):
            return self._result
        if self._last_error is not None:
            return Ended(error=self._last_error, limit=limit_of(self._last_error))
        return judged_by_exit(exit_code, silence="it left before its turn was over")

    def _events(self, value: dict[str, Any]) -> tuple[AgentEvent, ...]:
        match value.get("type"):
            case "thread.started":
                return (Started(session=text(value, "thread_id") or None, model=self._settings.model),)
            case "item.started" | "item.updated" | "item.completed":
                return _item(table(value, "item"), is_whole=value["type"] == "item.completed")
            case "turn.completed":
                self._result = Ended()
                return (self._usage(table(value, "usage")), self._result)
            case "turn.failed":
                error = text(table(value, "error"), "message") or "the turn failed"
                self._result = Ended(error=error, limit=limit_of(error))
                return (self._result,)
            case "error":
                # It may recover from this one; the end of the turn tells.
                self._last_error = text(value, "message") or "an error without a text"
                return (Said(text=self._last_error),)
        return ()

    def _usage(self, usage: dict[str, Any]) -> Usage:
        """What this run used: the conversation's total, without what it had used before."""
        if not usage:
            return Usage()
        afresh = max(0, whole(usage, "input_tokens") - whole(usage, "cached_input_tokens"))
        return Usage(tokens=max(0, afresh + whole(usage, "output_tokens") - self._used_before))


def _item(item: dict[str, Any], *, is_whole: bool) -> tuple[AgentEvent, ...]:
    kind = text(item, "type")
    if kind in _CALLS and text(item, "id"):
        return (ToolCall(call=text(item, "id"), name=_name(item, kind), detail=cut(_detail(item), _LONGEST_DETAIL)),)
    if kind == "agent_message" and is_whole:
        return (Said(text=text(item, "text")),)
    if kind == "error" and is_whole:
        return (Said(text=text(item, "message")),)
    return ()


def _name(item: dict[str, Any], kind: str) -> str:
    if kind == "mcp_tool_call":
        return f"{text(item, 'server')}.{text(item, 'tool')}"
    return {"command_execution": "shell", "file_change": "edit"}.get(kind, kind)


def _detail(item: dict[str, Any]) -> str:
    changed = ", ".join(text(change, "path") for change in tables(item, "changes"))
    return text(item, "command") or changed or text(item, "query")


def _toml(value: object) -> str:
    """A TOML value: JSON's own spelling but for tables, whose keys are ours and plain."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(each) for each in value) + "]"
    return json.dumps(value)
