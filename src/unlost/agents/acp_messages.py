"""ACP's messages as bytes, and the plan's permissions as answers: pure rules."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any, Final

from unlost.agents.json_lines import table, tables, text, whole
from unlost.agents.protocol import Permissions, Usage
from unlost.facts.quoting import cut
from unlost.facts.records import dataclass

_NO_SUCH_METHOD: Final = -32601
_LONGEST_ERROR: Final = 500
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


def failure(identity: object, message: str, *, code: int = _NO_SUCH_METHOD) -> bytes:
    """The answer to a request that we do not serve, as a line."""
    return _line({"id": identity, "error": {"code": code, "message": message}})


@dataclass(frozen=True, kw_only=True)
class Models:
    """The models that an agent offers, and the request by which one is chosen; `option` is the id of its setting."""

    offered: frozenset[str] = frozenset()
    current: str | None = None
    method: str = "session/set_model"
    option: str | None = None

    def choice(self, model: str) -> dict[str, str]:
        """The parameters of the request, beside the session."""
        return {"modelId": model} if self.option is None else {"configId": self.option, "value": model}


def models_in(session: dict[str, Any]) -> Models:
    """What a new session tells of models: in a table of their own, or among its settings."""
    told = table(session, "models")
    if told:
        offered = frozenset(text(model, "modelId") for model in tables(told, "availableModels"))
        return Models(offered=offered, current=text(told, "currentModelId") or None)
    for option in tables(session, "configOptions"):
        if option.get("category") == "model" and text(option, "id"):
            return Models(
                offered=frozenset(text(each, "value") for each in tables(option, "options")),
                current=text(option, "currentValue") or None,
                method="session/set_config_option",
                option=text(option, "id"),
            )
    return Models()


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


def spoke(result: dict[str, Any]) -> bool:
    """Whether a model said anything in a turn; True also for an agent that does not tell its tokens at all.

    Codex over ACP calls a turn well that its service refused, and tells no tokens where else it tells some.
    """
    return not ("usage" in result and result["usage"] is None)


def usage_in(result: dict[str, Any]) -> tuple[Usage, ...]:
    """The tokens of a turn, in ACP's own place for them or in Gemini's."""
    usage, quota = table(result, "usage"), table(table(table(result, "_meta"), "quota"), "token_count")
    tokens = sum(whole(usage, key) for key in ("inputTokens", "cachedWriteTokens", "outputTokens"))
    tokens = tokens or sum(whole(quota, key) for key in ("input_tokens", "output_tokens"))
    return (Usage(tokens=tokens),) if tokens else ()


def error_text(error: dict[str, Any]) -> str:
    """The message, with what stands behind it when it says something else."""
    told, data = text(error, "message") or "an error without a message", error.get("data")
    return told if data is None else cut(f"{told}: {json.dumps(data)}", _LONGEST_ERROR)


def _is_below(path: str, roots: Sequence[str]) -> bool:
    path = os.path.normpath(os.path.join(roots[0], path))
    return any(path == root or path.startswith(root + "/") for root in roots)


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
