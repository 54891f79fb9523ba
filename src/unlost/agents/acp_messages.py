"""ACP's messages as bytes, and the plan's permissions as answers: pure rules."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Final

from unlost.agents.json_lines import tables, text
from unlost.agents.protocol import Permissions

_NO_SUCH_METHOD: Final = -32601
# What agents call the mode in which they edit and run unasked, and the one in which they ask for nothing at all.
_MODES: Final[dict[Permissions, tuple[str, ...]]] = {
    "edit": ("acceptEdits", "workspace-write", "autoEdit", "auto_edit"),
    "all": ("bypassPermissions", "agent-full-access", "full-access", "yolo"),
    "user": (),
}
_UNASKED: Final = frozenset({"read", "edit", "delete", "move", "search", "execute", "think", "switch_mode", "other"})


def request(identity: int, method: str, parameters: dict[str, Any]) -> bytes:
    """A request of ours, as a line."""
    return _line({"id": identity, "method": method, "params": parameters})


def response(identity: object, result: dict[str, Any]) -> bytes:
    """The answer to a request of the agent's, as a line."""
    return _line({"id": identity, "result": result})


def failure(identity: object, message: str) -> bytes:
    """The answer to a request that we do not serve, as a line."""
    return _line({"id": identity, "error": {"code": _NO_SUCH_METHOD, "message": message}})


def mode_for(permissions: Permissions, modes: dict[str, Any]) -> str | None:
    """The mode to set, of those that the agent offers; None for its own."""
    offered = {text(mode, "id") for mode in tables(modes, "availableModes")}
    return next((mode for mode in _MODES[permissions] if mode in offered), None)


def allowed(permissions: Permissions, call: dict[str, Any], *, roots: Sequence[str]) -> bool:
    """Whether the plan lets this call run unasked: `edit` takes no web and no path outside the roots."""
    if permissions != "edit":
        return permissions == "all"
    kind = text(call, "kind")
    paths = [text(place, "path") for place in tables(call, "locations")]
    writes = kind in {"edit", "delete", "move"}
    return (not kind or kind in _UNASKED) and not (writes and any(not _is_below(path, roots) for path in paths))


def text_of(content: dict[str, Any]) -> str:
    """The words of a piece of content."""
    return text(content, "text") if content.get("type") == "text" else ""


def _is_below(path: str, roots: Sequence[str]) -> bool:
    path = os.path.normpath(os.path.join(roots[0], path))
    return any(path == root or path.startswith(root + "/") for root in roots)


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
