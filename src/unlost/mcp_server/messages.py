"""The Model Context Protocol as far as a server of tools needs it: JSON-RPC requests to answers, without any I/O."""

from __future__ import annotations

import json
from typing import Any, Final

from unlost.facts.version import VERSION
from unlost.mcp_server.desk import Desk
from unlost.mcp_server.tools import TOOLS, call_tool

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Revisions of the protocol that this server can speak, the newest first."""

_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_NO_SUCH_METHOD: Final = -32601


def answer_body(desk: Desk, body: bytes) -> bytes | None:
    """The answer to the body of a POST; None when nothing in it asks for one (notifications)."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return json.dumps(_error(None, _PARSE_ERROR, "not JSON")).encode()
    if isinstance(value, list):
        answers = [answer for each in value if (answer := _answer(desk, each)) is not None]
        return json.dumps(answers).encode() if answers else None
    answer = _answer(desk, value)
    return None if answer is None else json.dumps(answer).encode()


def _answer(desk: Desk, message: object) -> dict[str, Any] | None:
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return _error(None, _INVALID_REQUEST, "not a request")
    if "id" not in message:
        return None
    given = message.get("params")
    parameters = given if isinstance(given, dict) else {}
    match message["method"]:
        case "initialize":
            result = _introduction(parameters)
        case "ping":
            result = {}
        case "tools/list":
            result = {"tools": [tool.described(name) for name, tool in TOOLS.items()]}
        case "tools/call":
            arguments = parameters.get("arguments")
            result = call_tool(desk, str(parameters.get("name")), arguments if isinstance(arguments, dict) else {})
        case method:
            return _error(message["id"], _NO_SUCH_METHOD, f"no method {method}")
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _introduction(parameters: dict[str, Any]) -> dict[str, Any]:
    wanted = parameters.get("protocolVersion")
    return {
        "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "unlost", "version": VERSION},
    }


def _error(identity: object, code: int, message: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": message}}
