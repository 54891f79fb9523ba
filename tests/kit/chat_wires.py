"""Two more formats in which agents talk to their model: OpenAI's chat (opencode) and Google's contents (Gemini CLI)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kit.model_wires import Answer, Body, Turn, Wire, text_of


class Chat:
    """OpenAI's chat completions."""

    ending = "data: [DONE]\n\n"

    def turns(self, body: Body) -> list[Turn]:
        return [
            Turn(
                is_user=each["role"] == "user", is_model=each["role"] == "assistant", text=text_of(each.get("content"))
            )
            for each in body.get("messages", [])
        ]

    def tools(self, body: Body) -> dict[str, Mapping[str, Any]]:
        found = (tool.get("function", {}) for tool in body.get("tools") or [])
        return {each["name"]: each.get("parameters", {}).get("properties", {}) for each in found if "name" in each}

    def whole(self, answer: Answer) -> Body:
        message: Body = {"role": "assistant", "content": answer.text or ("" if answer.call else "ok")}
        if answer.call is not None:
            function = {"name": answer.call.name, "arguments": json.dumps(dict(answer.call.arguments))}
            message["tool_calls"] = [{"id": f"call_{answer.identity}", "type": "function", "function": function}]
        ending = "stop" if answer.call is None else "tool_calls"
        usage = {"prompt_tokens": answer.tokens, "completion_tokens": 50, "total_tokens": answer.tokens + 50}
        return {
            "id": f"chatcmpl-{answer.identity}",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": ending}],
            "usage": usage,
        }

    def stream(self, answer: Answer) -> Iterator[Body]:
        whole = self.whole(answer)
        choice, usage = whole["choices"][0], whole.pop("usage")
        message = choice["message"]
        whole["object"] = "chat.completion.chunk"
        if message["content"]:
            yield {**whole, "choices": [{"index": 0, "delta": {"role": "assistant", "content": message["content"]}}]}
        for index, call in enumerate(message.get("tool_calls", ())):
            yield {**whole, "choices": [{"index": 0, "delta": {"tool_calls": [{"index": index, **call}]}}]}
        yield {**whole, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
        yield {**whole, "choices": [], "usage": usage}


class Contents:
    """Google's generateContent."""

    ending = ""

    def turns(self, body: Body) -> list[Turn]:
        return [
            Turn(
                is_user=each.get("role") == "user",
                is_model=each.get("role") == "model",
                text=text_of(each.get("parts")),
            )
            for each in body.get("contents", [])
        ]

    def tools(self, body: Body) -> dict[str, Mapping[str, Any]]:
        found = (each for tool in body.get("tools") or [] for each in tool.get("functionDeclarations", ()))
        return {
            each["name"]: (each.get("parametersJsonSchema") or each.get("parameters") or {}).get("properties", {})
            for each in found
        }

    def whole(self, answer: Answer) -> Body:
        parts: list[Body] = [{"text": answer.text or "ok"}] if answer.text or answer.call is None else []
        if answer.call is not None:
            call = {"name": answer.call.name, "args": dict(answer.call.arguments), "id": f"call-{answer.identity}"}
            parts.append({"functionCall": call})
        usage = {"promptTokenCount": answer.tokens, "candidatesTokenCount": 50, "totalTokenCount": answer.tokens + 50}
        candidate = {"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}

    def stream(self, answer: Answer) -> Iterator[Body]:
        yield self.whole(answer)


class ContentCount(Contents):
    """Google's question how long a conversation is."""

    def tools(self, body: Body) -> dict[str, Mapping[str, Any]]:
        return {}

    def whole(self, answer: Answer) -> Body:
        return {"totalTokens": 100}


CHAT_WIRES: Mapping[str, Wire] = {
    "/chat/completions": Chat(),
    ":countTokens": ContentCount(),
    "GenerateContent": Contents(),
    ":generateContent": Contents(),
}
"""The format of a request by the end of its path."""
