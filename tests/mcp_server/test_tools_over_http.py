"""The tools as an agent meets them: over HTTP, at a secret URL."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import pytest

from unlost.mcp_server.desk import Matter, Refused
from unlost.mcp_server.serve import LIMIT, serving
from unlost.mcp_server.tools import TOOLS


class FakeDesk:
    """Remembers what was handed in; refuses what says so."""

    def __init__(self) -> None:
        self.kept: list[tuple[Matter, object]] = []

    def hand_in(self, matter: Matter, value: object) -> str:
        if value == {}:
            raise Refused("task is missing; remaining_steps is missing")
        self.kept.append((matter, value))
        return "kept"

    def status(self) -> str:
        return "all stands"

    def restore(self, path: str) -> str:
        return f"{path} is back"


@pytest.fixture
def desk() -> FakeDesk:
    return FakeDesk()


@pytest.fixture
def url(desk: FakeDesk) -> Iterator[str]:
    with serving(desk, new_secret=lambda: "a-secret") as served:
        yield served


def send(url: str, body: object, *, method: str = "POST", path: str | None = None, **headers: str) -> tuple[int, Any]:
    parts = urlsplit(url)
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with closing(http.client.HTTPConnection(parts.netloc, timeout=120)) as connection:
        connection.request(method, path or parts.path, body=data, headers=headers)
        answer = connection.getresponse()
        content = answer.read()
    return answer.status, json.loads(content) if content else None


def call(url: str, tool: str, **arguments: object) -> tuple[str, bool]:
    request = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    status, answer = send(url, request)
    assert (status, answer["id"]) == (200, 7)
    return answer["result"]["content"][0]["text"], answer["result"]["isError"]


def test_a_client_is_greeted_in_its_own_revision(url: str) -> None:
    """A revision that is known is spoken; any other one is answered with the newest."""
    for wanted, spoken in (("2025-03-26", "2025-03-26"), ("1999-01-01", "2025-11-25")):
        request = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": wanted}}
        result = send(url, request)[1]["result"]

        assert result["protocolVersion"] == spoken
        assert result["serverInfo"]["name"] == "unlost"
    assert send(url, {"jsonrpc": "2.0", "method": "notifications/initialized"}) == (202, None)


def test_every_tool_is_described(url: str) -> None:
    """contracts.md, Agents: six tools, each with the schema of its arguments."""
    tools = send(url, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})[1]["result"]["tools"]

    assert [tool["name"] for tool in tools] == [
        *(
            "submit_handoff",
            "submit_research",
            "submit_findings",
            "report_task",
            "ask_human",
            "work_status",
            "restore_path",
        )
    ]
    for tool in tools:
        assert set(tool["inputSchema"]["required"]) <= set(tool["inputSchema"]["properties"])


def test_calls_reach_the_desk(url: str, desk: FakeDesk) -> None:
    """What is handed in arrives as it was; a question is a report of `blocked`."""
    assert call(url, "submit_handoff", handoff={"task": "t"}) == ("kept", False)
    assert call(url, "report_task", outcome="completed") == ("kept", False)
    assert call(url, "ask_human", question="Which API?") == ("kept", False)
    assert call(url, "work_status") == ("all stands", False)
    assert call(url, "restore_path", path="a.py") == ("a.py is back", False)
    assert desk.kept == [
        ("handoff", {"task": "t"}),
        ("report", {"outcome": "completed"}),
        ("report", {"outcome": "blocked", "reason": "Which API?", "paths": []}),
    ]


def test_an_error_tells_the_agent_what_to_correct(url: str, desk: FakeDesk) -> None:
    """Faults come back as a result that the model reads, each named; nothing was kept."""
    assert call(url, "submit_handoff", handoff={}) == ("task is missing; remaining_steps is missing", True)
    assert call(url, "submit_handoff", text="x") == ("`handoff` is missing; `text` is not known", True)
    assert call(url, "restore_path", path=7) == ("`path` is not string", True)
    assert call(url, "erase")[1] is True
    assert desk.kept == []


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b"7", b'{"method": 1}', b"\xff", b'{"id": 1}'])
def test_garbage_is_answered_with_an_error(url: str, body: bytes) -> None:
    """Whatever is sent, the server answers and lives on."""
    status, answer = send(url, body)

    assert status == 200
    assert answer["error"]["code"] in (-32700, -32600)
    assert call(url, "work_status") == ("all stands", False)


def test_nobody_else_is_served(url: str, desk: FakeDesk) -> None:
    """Another path, and a page in a browser, get nothing; there is no stream, and a body has its limit."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    assert send(url, request, path="/mcp")[0] == 404
    assert send(url, request, path="/another/mcp")[0] == 404
    assert send(url, request, Origin="http://localhost")[0] == 404
    assert send(url, b"", method="GET")[0] == 405
    assert send(url, b"", **{"Content-Length": str(LIMIT + 1)})[0] == 413


def test_the_url_dies_with_the_attempt(desk: FakeDesk) -> None:
    """When the context ends nothing listens any more."""
    with serving(desk, new_secret=lambda: "a-secret") as url:
        pass

    with pytest.raises(ConnectionRefusedError):
        send(url, {})


def test_every_tool_has_its_own_arguments() -> None:
    """A tool's required arguments are among its arguments, and each argument has a type that is checked."""
    for tool in TOOLS.values():
        assert set(tool.required) <= set(tool.properties)
        assert all(schema["type"] in {"string", "object", "array"} for schema in tool.properties.values())
