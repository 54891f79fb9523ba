"""Any agent that speaks ACP, the Agent Client Protocol: JSON-RPC, a line a message, on its stdin and stdout.

We are the client: `initialize`, a session (new, or an earlier one loaded), one prompt, and its end. Permissions are
answered by the plan's word. We offer no file system and no terminal: the agent uses its own, in its own process tree.
What differs between agents is handled where it is read: a loaded session replays its history, a tool may be announced
by an update alone, usage comes in updates from some and with the end from others.
"""

from __future__ import annotations

import json
import signal
from typing import Any, Final

from unlost.agents.acp_messages import allowed, failure, mode_for, request, response, text_of
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
    Said,
    Started,
    ToolCall,
    Usage,
)
from unlost.agents.vendors import MCP_SERVER, NETWORK, as_said, judged_by_exit
from unlost.facts.errors import UsageError
from unlost.facts.quoting import cut

_REQUESTS: Final = range(4)
_INITIALIZE, _SESSION, _MODE, _PROMPT = _REQUESTS
_VERSION: Final = 1
_GOOD_ENDS: Final = frozenset({"end_turn"})
_LONGEST_DETAIL: Final = 500
_VARIABLES: Final = (
    *NETWORK,
    *("ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_*", "DISABLE_*", "IS_SANDBOX"),
    *("OPENAI_*", "CODEX_*", "GEMINI_*", "GOOGLE_*", "OPENCODE_*", "NO_BROWSER"),
)


def agent(settings: AgentSettings) -> Acp:
    """The adapter for `[agent] use = "acp"`. Raises UsageError when no command is named."""
    if not settings.command or not settings.command[0]:
        raise UsageError("the agent `acp` needs a command", hint='[agent] command = ["claude-agent-acp"]')
    return Acp(settings)


class Acp:
    """One conversation with one prompt."""

    variables: tuple[str, ...] = _VARIABLES
    carries_on: bool = True

    def __init__(self, settings: AgentSettings) -> None:
        self._settings = settings
        self._errand: Errand | None = None
        self._session: str | None = None
        self._prompted = False
        self._words: list[str] = []
        self._result: Ended | None = None

    def launch(self, errand: Errand) -> Launch:
        """The command as it is named; it is greeted at once. SIGINT asks it to end."""
        self._errand = errand
        client = {"name": "unlost", "version": "1"}
        nothing = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
        greeting = {"protocolVersion": _VERSION, "clientCapabilities": nothing, "clientInfo": client}
        return Launch(
            argv=self._settings.command,
            stdin="talk",
            opening=request(_INITIALIZE, "initialize", greeting),
            cancel_signal=signal.SIGINT,
        )

    def listen(self, line: bytes, dropped: int) -> Heard:
        """One message; what is none, or was cut, is said."""
        value = read_object(line) if dropped == 0 else None
        if value is None:
            return as_said(line, dropped)
        method = text(value, "method")
        if method == "session/update":
            return Heard(events=self._update(table(table(value, "params"), "update")))
        if method == "session/request_permission" and "id" in value:
            return self._permission(value["id"], table(value, "params"))
        if method:
            return Heard(reply=failure(value["id"], f"no method {method}") if "id" in value else b"")
        return self._answer(value)

    def cancel(self) -> bytes:
        """No words: they would have to name the session, which nobody knows before it is there."""
        return b""

    def conclude(self, exit_code: int | None) -> Ended:
        """The end of the prompt when it told one: behind that, how the process left is nobody's matter."""
        return self._result or judged_by_exit(exit_code, silence="it left before its turn was over")

    def _answer(self, value: dict[str, Any]) -> Heard:
        """What comes back for a request of ours is followed by the next one."""
        result, awaited = table(value, "result"), value.get("id")
        if "error" in value and awaited in _REQUESTS:
            if awaited == _MODE:
                return Heard(reply=self._prompt())  # whatever its mode, permissions are answered by us
            error = _error(table(value, "error"))
            return self._ended(Ended(error=error, limit=limit_of(error)))
        if awaited == _INITIALIZE and self._errand is not None:
            return Heard(reply=self._open_session(table(result, "agentCapabilities")))
        if awaited == _SESSION and not self._prompted:
            return self._opened(result)
        if awaited == _MODE and not self._prompted:
            return Heard(reply=self._prompt())
        if awaited == _PROMPT and self._prompted:
            reason = text(result, "stopReason")
            ended = Ended(error=None if reason in _GOOD_ENDS else f"the turn ended: {reason or 'without a reason'}")
            return self._ended(ended, _usage(table(result, "usage")))
        return Heard()

    def _open_session(self, can: dict[str, Any]) -> bytes:
        assert self._errand is not None
        url = self._errand.mcp_url
        has_http = table(can, "mcpCapabilities").get("http") is True
        servers = [{"type": "http", "name": MCP_SERVER, "url": url, "headers": []}] if url and has_http else []
        place = {"cwd": self._errand.root, "mcpServers": servers}
        if self._errand.session and can.get("loadSession") is True:
            self._session = self._errand.session
            return request(_SESSION, "session/load", {**place, "sessionId": self._session})
        return request(_SESSION, "session/new", place)

    def _opened(self, result: dict[str, Any]) -> Heard:
        self._session = text(result, "sessionId") or self._session
        if self._session is None:
            return self._ended(Ended(error="the agent opened no session"))
        models = table(result, "models")
        started = Started(session=self._session, model=text(models, "currentModelId") or None)
        mode = mode_for(self._settings.permissions, table(result, "modes"))
        if mode is None:
            return Heard(events=(started,), reply=self._prompt())
        return Heard(
            events=(started,), reply=request(_MODE, "session/set_mode", {"sessionId": self._session, "modeId": mode})
        )

    def _prompt(self) -> bytes:
        assert self._errand is not None
        self._prompted = True
        words = [{"type": "text", "text": self._errand.prompt.decode("utf-8", "replace")}]
        return request(_PROMPT, "session/prompt", {"sessionId": self._session, "prompt": words})

    def _update(self, update: dict[str, Any]) -> tuple[AgentEvent, ...]:
        """Before our prompt, updates tell what an earlier attempt did: that was counted then."""
        if not self._prompted:
            return ()
        match update.get("sessionUpdate"):
            case "agent_message_chunk":
                self._words.append(text_of(table(update, "content")))
                return ()
            case "tool_call" | "tool_call_update" if text(update, "toolCallId"):
                detail = cut(text(update, "title"), _LONGEST_DETAIL)
                call = ToolCall(call=text(update, "toolCallId"), name=text(update, "kind") or "tool", detail=detail)
                return (*self._said(), call)
            case "usage_update":
                cost = table(update, "cost")
                dollars = number(cost, "amount") if text(cost, "currency") == "USD" else None
                return (Usage(cost_usd=dollars),)
        return ()

    def _permission(self, identity: object, asked: dict[str, Any]) -> Heard:
        assert self._errand is not None
        call = table(asked, "toolCall")
        may = allowed(self._settings.permissions, call, roots=(self._errand.root, self._errand.outbox))
        wanted = ("allow_once", "allow_always") if may else ("reject_once", "reject_always")
        options = {text(option, "kind"): text(option, "optionId") for option in tables(asked, "options")}
        chosen = next((options[kind] for kind in wanted if kind in options), None)
        outcome = {"outcome": "cancelled"} if chosen is None else {"outcome": "selected", "optionId": chosen}
        told = PermissionAsked(call=text(call, "toolCallId"), name=text(call, "kind"), granted=may and bool(chosen))
        return Heard(events=(*self._said(), told), reply=response(identity, {"outcome": outcome}))

    def _said(self) -> tuple[Said, ...]:
        """The words so far, which come in pieces."""
        words, self._words = "".join(self._words), []
        return (Said(text=words),) if words.strip() else ()

    def _ended(self, ended: Ended, usage: tuple[Usage, ...] = ()) -> Heard:
        self._result = ended
        return Heard(events=(*self._said(), *usage, ended), hang_up=True)


def _usage(usage: dict[str, Any]) -> tuple[Usage, ...]:
    tokens = sum(whole(usage, key) for key in ("inputTokens", "cachedWriteTokens", "outputTokens"))
    return (Usage(tokens=tokens),) if tokens else ()


def _error(error: dict[str, Any]) -> str:
    """The message, with what stands behind it when it says something else."""
    told, data = text(error, "message") or "an error without a message", error.get("data")
    return told if data is None else cut(f"{told}: {json.dumps(data)}", _LONGEST_DETAIL)
