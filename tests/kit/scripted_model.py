"""A model without a model: a loopback server that answers real agents with steps written down beforehand.

It keeps nothing between requests. What to answer follows from the request alone: the scenario is the last
`SCENARIO:name` in what the user said, the step is the number of the model's own turns since. So a retry, several
agents at once and a resumed conversation all get the same answers in every run.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from kit.chat_wires import CHAT_WIRES
from kit.model_wires import WIRES, Answer, Call, Wire

_WRITERS = ("Write", "write", "write_file")
_SHELLS = ("Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command")
HANDING_OVER = "handing over"
RESEARCH = "research"
# What unlost itself asks for names no scenario of a test; it is known by words that stand in no other prompt.
_ASKED_BY_US = {
    "The tool calls of this attempt are used up": HANDING_OVER,
    "Nobody codes on anything but the file": RESEARCH,
}
_MARK = re.compile("|".join((r"SCENARIO:([\w-]+)", *_ASKED_BY_US)))


@dataclass(frozen=True, kw_only=True)
class Step:
    """One answer: words, a shell command, a file with these words, a tool by the end of its name, or a failure.

    Until `limited_until`, in seconds since 1970, the service takes no more and says so as the vendors' services do.
    `{step}` in a command is the number of the step, so that one that is repeated for ever is never quite the same.
    """

    text: str = ""
    command: str | None = None
    file: str | None = None
    tool: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200
    limited_until: float = 0.0
    for_ever: bool = False
    tokens: int = 1000


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One request that was part of a scenario: which, its step, and how many turns the conversation had."""

    scenario: str
    step: int
    turns: int


class ScriptedModel:
    """The server while it runs; `asked` are the requests so far."""

    def __init__(self, scenarios: Mapping[str, Sequence[Step]], server: ThreadingHTTPServer) -> None:
        self.scenarios = scenarios
        self.asked: list[Asked] = []
        self.url = f"http://127.0.0.1:{server.server_address[1]}"

    def answer(self, wire: Wire, body: dict[str, Any]) -> tuple[int, Answer]:
        """The HTTP status, and what the model says."""
        turns, tools = wire.turns(body), wire.tools(body)
        marks = [(at, name) for at, turn in enumerate(turns) if turn.is_user for name in _marks(turn.text)]
        if not marks or not tools:
            return 200, Answer(identity="aside", text="ok")  # a title, a summary: no step of a scenario
        start, scenario = marks[-1]
        number = _answers(turns[start + 1 :])
        self.asked.append(Asked(scenario=scenario, step=number, turns=len(turns)))
        steps = self.scenarios.get(scenario, (Step(text="Nothing."),))
        step = steps[number] if number < len(steps) else steps[-1] if steps[-1].for_ever else Step(text="Done.")
        if step.limited_until > time.time():
            return 429, Answer(identity="limit", text="The usage limit has been reached", resets_at=step.limited_until)
        if step.status != 200:
            return step.status, Answer(identity="failure", text="scripted failure")
        identity = f"{scenario}-{number}"
        call = _call(step, tools, number)
        return 200, Answer(identity=identity, text=step.text, call=call, tokens=step.tokens)


@contextmanager
def scripted_model(scenarios: Mapping[str, Sequence[Step]]) -> Iterator[ScriptedModel]:
    """Serve scenarios on a free port of the loopback interface."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    model = server.model = ScriptedModel(scenarios, server)  # type: ignore[attr-defined]  # a handler reaches it there
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002  (the library's own name)
        pass

    def do_HEAD(self) -> None:
        self._send(200, "text/plain", b"")

    def do_GET(self) -> None:
        self._send(200, "application/json", b'{"object": "list", "data": [], "models": [], "has_more": false}')

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        wire = next((wire for ending, wire in {**WIRES, **CHAT_WIRES}.items() if path.endswith(ending)), None)
        if wire is None:
            self._send(404, "application/json", b'{"error": {"message": "no such path"}}')
            return
        model: ScriptedModel = self.server.model  # type: ignore[attr-defined]  # put there by scripted_model
        status, answer = model.answer(wire, body)
        if status != 200:
            self._send(status, "application/json", json.dumps(_failure(answer)).encode(), answer.resets_at)
        elif body.get("stream") or ":stream" in path:
            events = "".join(_event(each) for each in wire.stream(answer))
            self._send(200, "text/event-stream", (events + wire.ending).encode())
        else:
            self._send(200, "application/json", json.dumps(wire.whole(answer)).encode())

    def _send(self, status: int, kind: str, data: bytes, resets_at: float | None = None) -> None:
        self.send_response(status)
        if resets_at is not None:
            self.send_header("anthropic-ratelimit-unified-status", "rejected")
            self.send_header("anthropic-ratelimit-unified-reset", str(int(resets_at)))
            self.send_header("anthropic-ratelimit-unified-representative-claim", "five_hour")
            self.send_header("x-should-retry", "false")
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _failure(answer: Answer) -> dict[str, Any]:
    if answer.resets_at is None:
        return {"type": "error", "error": {"type": "api_error", "message": answer.text}}
    limit = {"type": "usage_limit_reached", "message": answer.text, "resets_at": int(answer.resets_at)}
    return {"type": "error", "error": {**limit, "plan_type": "pro"}}


def _event(body: dict[str, Any]) -> str:
    named = f"event: {body['type']}\n" if "type" in body else ""
    return f"{named}data: {json.dumps(body)}\n\n"


def _marks(text: str) -> list[str]:
    return [found[1] or _ASKED_BY_US[found[0]] for found in _MARK.finditer(text)]


def _answers(turns: Sequence[Any]) -> int:
    """How often the model spoke: its messages in a row are one answer."""
    return sum(turn.is_model and not before.is_model for before, turn in zip([_NOBODY, *turns], turns, strict=False))


def _call(step: Step, tools: Mapping[str, Mapping[str, Any]], number: int) -> Call | None:
    """The step's call in terms of the tools that the agent offers."""
    if step.tool is not None:
        name = next(name for name in tools if name.endswith(step.tool))
        return Call(name=name, arguments=step.arguments)
    if step.file is not None:
        name = next(name for name in _WRITERS if name in tools)
        key = next(key for key in ("file_path", "filePath", "path") if key in tools[name])
        return Call(name=name, arguments={key: step.file, "content": step.text})
    if step.command is None:
        return None
    name = next(name for name in _SHELLS if name in tools)
    key = "cmd" if "cmd" in tools[name] else "command"
    described = {"description": "run it"} if "description" in tools[name] else {}
    return Call(name=name, arguments={key: step.command.replace("{step}", str(number)), **described})


@dataclass(frozen=True)
class _Nobody:
    is_model: bool = False


_NOBODY = _Nobody()
