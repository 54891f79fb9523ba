"""The tools that an agent sees, and what a call of one becomes at the desk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.facts.records import dataclass
from unlost.mcp_server.desk import Desk, Refused

Arguments = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool: what it is for, its arguments by name as JSON schemas, the ones it needs, and what it does."""

    description: str
    properties: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    do: Callable[[Desk, Arguments], str]

    def described(self, name: str) -> dict[str, Any]:
        """As `tools/list` has it."""
        schema = {"type": "object", "properties": self.properties, "required": list(self.required)}
        return {"name": name, "description": self.description, "inputSchema": {**schema, "additionalProperties": False}}


_TEXT: Final = {"type": "string"}
_OBJECT: Final = {"type": "object"}
_OUTCOMES: Final = ["completed", "blocked", "no_change", "scope_change"]

TOOLS: Final[Mapping[str, Tool]] = {
    "submit_handoff": Tool(
        description="Hand over unfinished work before you end: what was decided, what fails, the exact fixes, the new "
        "files, the remaining steps. A refusal names every fault; correct them and submit again.",
        properties={"handoff": _OBJECT},
        required=("handoff",),
        do=lambda desk, given: desk.hand_in("handoff", given["handoff"]),
    ),
    "submit_research": Tool(
        description="Submit the brief that your research came to. A refusal names every fault: correct them.",
        properties={"brief": _OBJECT},
        required=("brief",),
        do=lambda desk, given: desk.hand_in("brief", given["brief"]),
    ),
    "submit_findings": Tool(
        description="Submit what your review found: an object with `findings`, a list that is empty when nothing is "
        "wrong. A refusal names every fault: correct them.",
        properties={"findings": _OBJECT},
        required=("findings",),
        do=lambda desk, given: desk.hand_in("findings", given["findings"]),
    ),
    "report_task": Tool(
        description="Say how your task went, once, before you end. `no_change` and `blocked` need a reason; "
        "`scope_change` names the paths outside the scope that the task needs.",
        properties={
            "outcome": {"type": "string", "enum": _OUTCOMES},
            "reason": _TEXT,
            "paths": {"type": "array", "items": _TEXT},
        },
        required=("outcome",),
        do=lambda desk, given: desk.hand_in("report", dict(given)),
    ),
    "ask_human": Tool(
        description="Ask a person what only a person can decide, then end: the answer comes with your next prompt.",
        properties={"question": _TEXT},
        required=("question",),
        do=lambda desk, given: desk.hand_in("report", {"outcome": "blocked", "reason": given["question"], "paths": []}),
    ),
    "work_status": Tool(
        description="What of the finished work that was here before you stands now, and what is lost.",
        properties={},
        required=(),
        do=lambda desk, _given: desk.status(),
    ),
    "restore_path": Tool(
        description="Bring a lost path back, byte for byte, as it was last seen. Paths are relative to the root.",
        properties={"path": _TEXT},
        required=("path",),
        do=lambda desk, given: desk.restore(given["path"]),
    ),
}


def call_tool(desk: Desk, name: str, arguments: Arguments) -> dict[str, Any]:
    """The result of a call as MCP has it: an error is told to the model, so that it can correct itself."""
    tool = TOOLS.get(name)
    if tool is None:
        return _result(f"there is no tool {name!r}; there are {', '.join(TOOLS)}", is_error=True)
    faults = [f"`{key}` is missing" for key in tool.required if key not in arguments]
    faults += [f"`{key}` is not known" for key in arguments if key not in tool.properties]
    faults += [
        f"`{key}` is not {tool.properties[key]['type']}"
        for key, value in arguments.items()
        if key in tool.properties and not isinstance(value, _TYPES[tool.properties[key]["type"]])
    ]
    if faults:
        return _result("; ".join(faults), is_error=True)
    try:
        return _result(tool.do(desk, arguments), is_error=False)
    except Refused as refusal:
        return _result(str(refusal), is_error=True)


_TYPES: Final[Mapping[str, type]] = {"string": str, "object": dict, "array": list}


def _result(text: str, *, is_error: bool) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}
