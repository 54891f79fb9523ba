"""Any program as an agent: the prompt on stdin, lines on stdout, exit 0 is "no error end".

A line that is a JSON object of a known type is an event; any other line is something said:

    {"type": "started", "session": TEXT, "model": TEXT}
    {"type": "said", "text": TEXT}
    {"type": "tool", "id": TEXT, "name": TEXT, "detail": TEXT}     without an id, each line is a call of its own
    {"type": "permission", "id": TEXT, "name": TEXT, "granted": BOOL}
    {"type": "usage", "tokens": INT, "cost_usd": NUMBER}           totals so far
    {"type": "ended", "error": TEXT}                               an error overrules exit 0, never the other way;
                                                                   one that tells of a rate limit is one
"""

from __future__ import annotations

import signal
from typing import Any

from unlost.agents.json_lines import number, read_object, text
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
from unlost.agents.vendors import judged_by_exit
from unlost.facts.errors import UsageError


def agent(settings: AgentSettings) -> Command:
    """The adapter for `[agent] use = "command"`. Raises UsageError when no command is named."""
    if not settings.command or not settings.command[0]:
        raise UsageError("the agent `command` needs a command", hint='[agent] command = ["my-agent"]')
    return Command(settings.command)


class Command:
    """One run of a program."""

    variables: tuple[str, ...] = ()
    carries_on: bool = False

    def __init__(self, argv: tuple[str, ...]) -> None:
        self._argv = argv
        self._calls = 0
        self._ended: Ended | None = None

    def launch(self, errand: Errand) -> Launch:  # noqa: ARG002  (a plain program learns its errand from stdin and UNLOST_*)
        """The program as it stands; SIGINT asks it to end, as Ctrl-C would."""
        return Launch(argv=self._argv, cancel_signal=signal.SIGINT)

    def listen(self, line: bytes, dropped: int) -> Heard:
        """One line: an event when it is a whole JSON object of a known type, else said."""
        value = read_object(line) if dropped == 0 else None
        event = None if value is None else self._event(value)
        if event is not None:
            return Heard(events=(event,))
        return Heard(events=(Said(text=line.decode("utf-8", "replace"), dropped=dropped),))

    def cancel(self) -> bytes:
        """No words: the launch names a signal."""
        return b""

    def conclude(self, exit_code: int | None) -> Ended:
        """An error it named, else its exit code."""
        if self._ended is not None and self._ended.error is not None:
            return self._ended
        return judged_by_exit(exit_code, silence=None)

    def _event(self, value: dict[str, Any]) -> AgentEvent | None:
        match value.get("type"):
            case "started":
                return Started(session=text(value, "session") or None, model=text(value, "model") or None)
            case "said":
                return Said(text=text(value, "text"))
            case "tool":
                return ToolCall(call=self._call(value), name=text(value, "name"), detail=text(value, "detail"))
            case "permission":
                granted = value.get("granted") is True
                return PermissionAsked(call=self._call(value), name=text(value, "name"), granted=granted)
            case "usage":
                tokens, cost = number(value, "tokens"), number(value, "cost_usd")
                return Usage(tokens=None if tokens is None else int(tokens), cost_usd=cost)
            case "ended":
                error = text(value, "error") or None
                self._ended = Ended(error=error, limit=None if error is None else limit_of(error))
                return self._ended
        return None

    def _call(self, value: dict[str, Any]) -> str:
        named = text(value, "id")
        self._calls += not named
        return named or f"call-{self._calls}"
