"""Claude Code as an agent: `claude -p` with its JSON lines, the prompt on stdin.

What it says of itself is not always so (docs/agents.md): an API failure is `subtype: "success"` with `is_error`; a
message's own `usage` is what was known when it began; each message may come in several lines; a resumed run may go on
under another id. The tree decides; these lines only tell.
"""

from __future__ import annotations

import json
import signal
from typing import Any, Final

from unlost.agents.json_lines import number, read_object, table, tables, text, whole
from unlost.agents.limits import limit_of
from unlost.agents.protocol import (
    AgentEvent,
    AgentSettings,
    Ended,
    Errand,
    Heard,
    Launch,
    PermissionAsked,
    Permissions,
    Said,
    Started,
    ToolCall,
    Usage,
)
from unlost.agents.vendors import MCP_SERVER, NETWORK, as_said, hook_table, installed, judged_by_exit
from unlost.facts.quoting import cut

PACKAGE: Final = "@anthropic-ai/claude-code"
TESTED: Final = "2.1.197"
"""The version that `make test-all` runs."""

_VARIABLES: Final = (
    *NETWORK,
    *("ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_*", "DISABLE_*", "IS_SANDBOX", "API_TIMEOUT_MS"),
    *("BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "MAX_THINKING_TOKENS", "MAX_MCP_OUTPUT_TOKENS"),
    *("AWS_*", "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_PROJECT", "CLOUD_ML_REGION", "VERTEX_*"),
)
# An update in the middle of a night, or a call home to an editor that is not there, is nobody's wish.
_QUIET: Final = {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_AUTO_CONNECT_IDE": "false"}
# Else our tools are missing from the first turns, or hidden behind a search that the model may never make.
_TOOLS_AT_ONCE: Final = {"MCP_CONNECTION_NONBLOCKING": "0", "ENABLE_TOOL_SEARCH": "false"}
_PERMISSIONS: Final[dict[Permissions, tuple[str, ...]]] = {
    # With `-p` whatever would ask is refused: `acceptEdits` takes edits below the folder alone; shell commands
    # are allowed by name.
    "edit": ("--permission-mode", "acceptEdits", "--disallowedTools", "WebFetch,WebSearch"),
    "all": ("--permission-mode", "bypassPermissions"),
    "user": (),
}
_SYNTHETIC: Final = "<synthetic>"
_DETAILS: Final = ("command", "file_path", "notebook_path", "path", "pattern", "url", "query", "description")
_LONGEST_DETAIL: Final = 500


def agent(settings: AgentSettings) -> Claude:
    """The adapter for `[agent] use = "claude"`. Raises UsageError when the program is not installed."""
    return Claude(settings, installed("claude", package=PACKAGE))


class Claude:
    """One run of `claude -p`."""

    variables: tuple[str, ...] = _VARIABLES
    carries_on: bool = True

    def __init__(self, settings: AgentSettings, program: str) -> None:
        self._settings = settings
        self._program = program
        self._session: str | None = None
        self._known: dict[str, int] = {}
        self._resets_at: float | None = None
        self._result: Ended | None = None

    def launch(self, errand: Errand) -> Launch:
        """The program with the plan's permissions; SIGINT lets it write its result before it leaves."""
        settings = self._settings
        allowed = ["Bash"] if settings.permissions == "edit" else []
        argv = [self._program, "-p", "--output-format", "stream-json", "--verbose"]
        argv += [*_PERMISSIONS[settings.permissions], "--add-dir", errand.outbox]
        env = dict(_QUIET)
        if settings.model:
            argv += ["--model", settings.model]
        if errand.session:
            argv += ["--resume", errand.session]
        if errand.cost_usd:
            argv += ["--max-budget-usd", f"{errand.cost_usd:.4f}"]
        if settings.guard:
            argv += ["--settings", json.dumps({"hooks": hook_table(settings.guard)})]
        if errand.mcp_url:
            argv += ["--mcp-config", json.dumps({"mcpServers": {MCP_SERVER: {"type": "http", "url": errand.mcp_url}}})]
            allowed.append(f"mcp__{MCP_SERVER}")
            env |= _TOOLS_AT_ONCE
        if allowed:
            argv += ["--allowedTools", ",".join(allowed)]
        if settings.permissions == "all":
            # As root it refuses this mode unless it is told that the machine is expendable; the plan said so.
            env["IS_SANDBOX"] = "1"
        return Launch(argv=tuple(argv), env=env, cancel_signal=signal.SIGINT)

    def listen(self, line: bytes, dropped: int) -> Heard:
        """One line of its JSON; what is none, or was cut, is said."""
        value = read_object(line) if dropped == 0 else None
        if value is None:
            return as_said(line, dropped)
        return Heard(events=(*self._began(value), *self._events(value)))

    def cancel(self) -> bytes:
        """No words: the launch names a signal."""
        return b""

    def conclude(self, exit_code: int | None) -> Ended:
        """Its result when it wrote one; without a result there was no good end, whatever the exit code."""
        if self._result is not None and (self._result.error is not None or exit_code == 0):
            return self._result
        return judged_by_exit(exit_code, silence="it left without a result")

    def _began(self, value: dict[str, Any]) -> tuple[AgentEvent, ...]:
        """A session that was not known: at the start, and when a resumed one goes on under another id."""
        session = text(value, "session_id")
        if not session or session == self._session:
            return ()
        self._session = session
        return (Started(session=session, model=text(value, "model") or None),)

    def _events(self, value: dict[str, Any]) -> tuple[AgentEvent, ...]:
        match value.get("type"):
            case "assistant":
                return self._message(table(value, "message"))
            case "system" if value.get("subtype") == "api_retry":
                attempt, most = whole(value, "attempt"), whole(value, "max_retries")
                return (Said(text=f"the service failed ({_api_error(value)}); retry {attempt} of {most}"),)
            case "rate_limit_event":
                told = table(value, "rate_limit_info")
                if told.get("status") == "rejected":
                    self._resets_at = number(told, "resetsAt")
            case "result":
                return self._ended(value)
        return ()

    def _message(self, message: dict[str, Any]) -> tuple[AgentEvent, ...]:
        events: list[AgentEvent] = []
        for block in tables(message, "content"):
            if block.get("type") == "text":
                events.append(Said(text=text(block, "text")))
            elif block.get("type") == "tool_use" and text(block, "id"):
                detail = _detail(table(block, "input"))
                events.append(ToolCall(call=text(block, "id"), name=text(block, "name"), detail=detail))
        identity = text(message, "id")
        if identity and identity not in self._known and message.get("model") != _SYNTHETIC:
            self._known[identity] = _spent(table(message, "usage"))
            events.append(Usage(tokens=sum(self._known.values())))
        return tuple(events)

    def _ended(self, value: dict[str, Any]) -> tuple[AgentEvent, ...]:
        denied = tuple(
            PermissionAsked(call=text(each, "tool_use_id"), name=text(each, "tool_name"), granted=False)
            for each in tables(value, "permission_denials")
        )
        self._result = self._account(value) if value.get("is_error") else Ended()
        # The sum over all models includes what ran beside the conversation; `usage` is the conversation's alone.
        models = table(value, "modelUsage")
        tokens = sum(_spent_by_model(table(models, model)) for model in models) or _spent(table(value, "usage"))
        total = max(tokens, sum(self._known.values()))
        return (*denied, Usage(tokens=total, cost_usd=number(value, "total_cost_usd")), self._result)

    def _account(self, value: dict[str, Any]) -> Ended:
        error = _error(value)
        limit = limit_of(error, status=whole(value, "api_error_status"), resets_at=self._resets_at)
        return Ended(error=error, limit=limit)


def _detail(given: dict[str, Any]) -> str:
    return next((cut(text(given, key), _LONGEST_DETAIL) for key in _DETAILS if text(given, key)), "")


def _spent(usage: dict[str, Any]) -> int:
    return sum(whole(usage, key) for key in ("input_tokens", "cache_creation_input_tokens", "output_tokens"))


def _spent_by_model(usage: dict[str, Any]) -> int:
    return sum(whole(usage, key) for key in ("inputTokens", "cacheCreationInputTokens", "outputTokens"))


def _api_error(value: dict[str, Any]) -> str:
    """`429 rate_limit`, as far as it tells."""
    status = whole(value, "error_status") or whole(value, "api_error_status")
    return " ".join(part for part in (str(status or ""), text(value, "error")) if part) or "no answer"


def _error(value: dict[str, Any]) -> str:
    """What a result that is an error says, the most telling first."""
    errors = value.get("errors")
    said = "; ".join(each for each in errors if isinstance(each, str)) if isinstance(errors, list) else ""
    told = said or text(value, "result") or text(value, "subtype") or "it ended with an error"
    status = whole(value, "api_error_status")
    return f"API error {status}: {told}" if status and str(status) not in told else told
