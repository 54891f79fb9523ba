"""Any agent that speaks ACP, the Agent Client Protocol: JSON-RPC, a line a message, on its stdin and stdout.

We are the client: `initialize`, a session (new, or an earlier one loaded), its mode and model, one prompt, and its end.
Permissions are answered by the plan's word. Files are served below the workspace and the outbox; no terminal is: what
an agent runs must run in its own process tree, where nothing outlives its attempt.
What differs between agents is handled where it is read: a loaded session replays its history, a tool may be announced
by an update alone, usage comes in updates from some and with the end from others.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.agents.acp_files import METHODS, FileRefused, serve_file
from unlost.agents.acp_messages import (
    allowed,
    error_text,
    failure,
    response,
    spoke,
    text_of,
    usage_in,
)
from unlost.agents.acp_session import INITIALIZE, MODE, MODEL, PROMPT, REQUESTS, SESSION, Session
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
    ToolCall,
    Usage,
)
from unlost.agents.vendors import NETWORK, as_said, judged_by_exit
from unlost.facts.errors import UsageError
from unlost.facts.quoting import cut
from unlost.facts.records import dataclass

# A file that it writes, or a long session that it loads, comes in one line; a cut message nobody could answer.
_LONGEST_MESSAGE: Final = 64 << 20
_NO_SESSION: Final = "the agent opened no session"
_GOOD_ENDS: Final = frozenset({"end_turn"})
_LONGEST_DETAIL: Final = 500
_VARIABLES: Final = (
    *NETWORK,
    *("ANTHROPIC_*", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_*", "DISABLE_*", "IS_SANDBOX"),
    *("OPENAI_*", "CODEX_*", "GEMINI_*", "GOOGLE_*", "OPENCODE_*", "NO_BROWSER"),
)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What one agent that speaks ACP needs beside it: the person's variables, and some of its own for an errand.

    `tells_tokens`: the tokens that it tells with the end of its turn are those of the whole turn. `serves_files`: it
    copes with a client that reads and writes files for it.
    """

    variables: tuple[str, ...]
    environment: Callable[[AgentSettings, Errand], Mapping[str, str]] = lambda _settings, _errand: {}
    tells_tokens: bool = True
    serves_files: bool = True


def agent(settings: AgentSettings) -> Acp:
    """The adapter for `[agent] use = "acp"`. Raises UsageError when no command is named."""
    if not settings.command or not settings.command[0]:
        raise UsageError("the agent `acp` needs a command", hint='[agent] command = ["claude-agent-acp"]')
    return Acp(settings, Profile(variables=_VARIABLES))


class Acp:
    """One conversation with one prompt."""

    carries_on: bool = True

    def __init__(self, settings: AgentSettings, profile: Profile) -> None:
        self.variables: tuple[str, ...] = profile.variables
        self._settings = settings
        self._profile = profile
        self._roots: tuple[str, ...] = ()
        self._session: Session | None = None
        self._words: list[str] = []
        self._result: Ended | None = None

    def launch(self, errand: Errand) -> Launch:
        """The command as it is named; it is greeted at once. SIGINT asks it to end."""
        self._roots = (errand.root, errand.outbox)
        self._session = Session(self._settings, errand)
        return Launch(
            argv=self._settings.command,
            env=self._profile.environment(self._settings, errand),
            stdin="talk",
            opening=self._session.greeting(serves_files=self._profile.serves_files),
            cancel_signal=signal.SIGINT,
            longest_line=_LONGEST_MESSAGE,
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
        if method in METHODS and "id" in value:
            return self._file(value["id"], method, table(value, "params"))
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
        session, result, awaited = self._session, table(value, "result"), value.get("id")
        if session is None:
            return Heard()
        if "error" in value and awaited in REQUESTS:
            return self._failed(session, awaited, table(value, "error"))
        if awaited == PROMPT and session.prompted:
            ended = self._account(text(result, "stopReason"), "".join(self._words).strip(), result)
            return self._ended(ended, usage_in(result) if self._profile.tells_tokens else ())
        if session.prompted:
            return Heard()
        if awaited == INITIALIZE:
            return Heard(reply=session.open(table(result, "agentCapabilities")))
        if awaited == SESSION:
            told = session.opened(result)
            return Heard(events=told, reply=session.next()) if told else self._ended(Ended(error=_NO_SESSION))
        return Heard(reply=session.next()) if awaited in (MODE, MODEL) else Heard()

    def _account(self, reason: str, last: str, result: dict[str, Any]) -> Ended:
        """The end of a turn; `last` are the words that were said last."""
        if reason not in _GOOD_ENDS:
            return Ended(error=f"the turn ended: {reason or 'without a reason'}")
        if spoke(result):
            return Ended()
        # A good end without a token: what it said last is why the service gave it none.
        error = last or "the model said nothing"
        return Ended(error=error, limit=limit_of(error))

    def _failed(self, session: Session, awaited: object, told: dict[str, Any]) -> Heard:
        """Without its mode, its model or its earlier conversation an agent can still work, and the person is told."""
        error = error_text(told)
        if awaited == MODE:
            return Heard(reply=session.next())  # whatever its mode, permissions are answered by us
        if awaited == MODEL:
            said = Said(text=f"the agent refused the model {self._settings.model} and goes on with its own")
            return Heard(events=(said,), reply=session.next())
        if awaited == SESSION and session.may_begin_anew():
            said = Said(text=f"the earlier conversation could not be loaded: {error}")
            return Heard(events=(said,), reply=session.open())
        # Some give the service's own HTTP status as the code.
        return self._ended(Ended(error=error, limit=limit_of(error, status=whole(told, "code"))))

    def _update(self, update: dict[str, Any]) -> tuple[AgentEvent, ...]:
        """Before our prompt, updates tell what an earlier attempt did: that was counted then."""
        if self._session is None or not self._session.prompted:
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
        call = table(asked, "toolCall")
        may = allowed(self._settings.permissions, call, roots=self._roots)
        wanted = ("allow_once", "allow_always") if may else ("reject_once", "reject_always")
        options = {text(option, "kind"): text(option, "optionId") for option in tables(asked, "options")}
        chosen = next((options[kind] for kind in wanted if kind in options), None)
        outcome = {"outcome": "cancelled"} if chosen is None else {"outcome": "selected", "optionId": chosen}
        told = PermissionAsked(call=text(call, "toolCallId"), name=text(call, "kind"), granted=may and bool(chosen))
        return Heard(events=(*self._said(), told), reply=response(identity, {"outcome": outcome}))

    def _file(self, identity: object, method: str, asked: dict[str, Any]) -> Heard:
        try:
            served = serve_file(method, asked, roots=self._roots)
        except FileRefused as refusal:
            return Heard(reply=failure(identity, str(refusal), code=refusal.code))
        return Heard(reply=response(identity, served))

    def _said(self) -> tuple[Said, ...]:
        """The words so far, which come in pieces."""
        words, self._words = "".join(self._words), []
        return (Said(text=words),) if words.strip() else ()

    def _ended(self, ended: Ended, usage: tuple[Usage, ...] = ()) -> Heard:
        self._result = ended
        return Heard(events=(*self._said(), *usage, ended), hang_up=True)
