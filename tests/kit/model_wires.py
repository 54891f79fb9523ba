"""The two formats in which agents talk to their model: Anthropic's messages and OpenAI's responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Body = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Turn:
    """Who spoke in a conversation, and the words."""

    is_user: bool = False
    is_model: bool = False
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A tool that the model uses."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the model says: words, at most one call, and what it is said to have cost."""

    identity: str
    text: str = ""
    call: Call | None = field(default=None)
    tokens: int = 0
    resets_at: float | None = None


class Wire(Protocol):
    """One format; `ending` is what a stream ends with."""

    ending: str

    def turns(self, body: Body) -> list[Turn]: ...

    def tools(self, body: Body) -> dict[str, Mapping[str, Any]]: ...

    def whole(self, answer: Answer) -> Body: ...

    def stream(self, answer: Answer) -> Iterator[Body]: ...


def text_of(content: object) -> str:
    """The words of a message, whether it is a text or made of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return ""


class Messages:
    """Anthropic's messages."""

    ending = ""

    def turns(self, body: Body) -> list[Turn]:
        return [
            Turn(
                is_user=message["role"] == "user",
                is_model=message["role"] == "assistant",
                text=text_of(message["content"]),
            )
            for message in body.get("messages", [])
        ]

    def tools(self, body: Body) -> dict[str, Mapping[str, Any]]:
        found = (tool for tool in body.get("tools") or [] if "input_schema" in tool)
        return {tool["name"]: tool["input_schema"].get("properties", {}) for tool in found}

    def whole(self, answer: Answer) -> Body:
        blocks: list[Body] = []
        if answer.text or answer.call is None:
            blocks.append({"type": "text", "text": answer.text or "ok"})
        if answer.call is not None:
            call = answer.call
            blocks.append(
                {"type": "tool_use", "id": f"toolu_{answer.identity}", "name": call.name, "input": dict(call.arguments)}
            )
        return {
            "id": f"msg_{answer.identity}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": blocks,
            "stop_reason": "end_turn" if answer.call is None else "tool_use",
            "stop_sequence": None,
            "usage": {"input_tokens": answer.tokens, "output_tokens": 50},
        }

    def stream(self, answer: Answer) -> Iterator[Body]:
        whole = self.whole(answer)
        yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
        for index, block in enumerate(whole["content"]):
            if block["type"] == "text":
                empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                empty = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            yield {"type": "content_block_start", "index": index, "content_block": empty}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield {"type": "message_delta", "delta": end, "usage": whole["usage"]}
        yield {"type": "message_stop"}


class TokenCount(Messages):
    """Anthropic's question how long a conversation is."""

    def tools(self, body: Body) -> dict[str, Mapping[str, Any]]:
        return {}

    def whole(self, answer: Answer) -> Body:
        return {"input_tokens": 100}


class Responses:
    """OpenAI's responses."""

    ending = ""

    def turns(self, body: Body) -> list[Turn]:
        return [_responses_turn(item) for item in body.get("input", [])]

    def tools(self, body: Body) -> dict[str, Mapping[str, Any]]:
        found: dict[str, Mapping[str, Any]] = {}
        for tool in body.get("tools") or []:
            for each in tool.get("tools", [tool]):
                if "name" in each:
                    name = f"{tool['name']}\0{each['name']}" if "tools" in tool else each["name"]
                    found[name] = (each.get("parameters") or {}).get("properties", {})
        return found

    def whole(self, answer: Answer) -> Body:
        items: list[Body] = []
        if answer.text or answer.call is None:
            said = {"type": "output_text", "text": answer.text or "ok", "annotations": []}
            items.append({"type": "message", "id": f"msg_{answer.identity}", "role": "assistant", "content": [said]})
        if answer.call is not None:
            space, _, name = answer.call.name.rpartition("\0")
            call = {
                "type": "function_call",
                "id": f"fc_{answer.identity}",
                "call_id": f"call_{answer.identity}",
                "name": name,
                "arguments": json.dumps(dict(answer.call.arguments)),
            }
            items.append({**call, "namespace": space} if space else call)
        usage = {"input_tokens": answer.tokens, "output_tokens": 50, "total_tokens": answer.tokens + 50}
        return {
            "id": f"resp_{answer.identity}",
            "object": "response",
            "created_at": 0,
            "status": "completed",
            "model": "gpt-5",
            "output": [{**item, "status": "completed"} for item in items],
            "usage": usage,
            "error": None,
        }

    def stream(self, answer: Answer) -> Iterator[Body]:
        whole = self.whole(answer)
        yield {"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}}
        for index, item in enumerate(whole["output"]):
            yield {"type": "response.output_item.added", "output_index": index, "item": item}
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        yield {"type": "response.completed", "response": whole}


def _responses_turn(item: Body) -> Turn:
    kind = item.get("type", "message")
    if kind != "message":
        return Turn(is_model=kind == "reasoning" or kind.endswith("_call"))
    role = item.get("role")
    return Turn(is_user=role == "user", is_model=role == "assistant", text=text_of(item.get("content")))


WIRES: Mapping[str, Wire] = {
    "/messages/count_tokens": TokenCount(),
    "/messages": Messages(),
    "/responses": Responses(),
}
"""The format of a request by the end of its path."""
