"""The client's side of ACP, message by message."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unlost.agents.acp import Acp, agent
from unlost.agents.protocol import (
    AgentEvent,
    AgentSettings,
    Ended,
    Errand,
    PermissionAsked,
    Permissions,
    RateLimit,
    Said,
    Started,
    ToolCall,
    Usage,
)
from unlost.facts.errors import UsageError

ERRAND = Errand(
    attempt="a-1",
    number=1,
    unit="u-1",
    step="code",
    task="t",
    prompt=b"do it",
    root="/work/root",
    outbox="/state/outbox",
    folder="/state/agent",
    mcp_url="http://127.0.0.1:1/secret/mcp",
)
CAPABLE = {"agentCapabilities": {"loadSession": True, "mcpCapabilities": {"http": True}}}
MODES = {"availableModes": [{"id": "default"}, {"id": "acceptEdits"}, {"id": "bypassPermissions"}]}
OPTIONS = [{"optionId": "yes", "kind": "allow_once"}, {"optionId": "no", "kind": "reject_once"}]


class Talk:
    """A conversation with an adapter: what it hears, what it answers."""

    def __init__(self, permissions: Permissions = "edit", errand: Errand = ERRAND, model: str | None = None) -> None:
        self.adapter: Acp = agent(AgentSettings(command=("an-agent",), permissions=permissions, model=model))
        self.events: list[AgentEvent] = []
        self.hung_up = False
        self.opening = json.loads(self.adapter.launch(errand).opening)

    def hear(self, **message: Any) -> dict[str, Any]:
        """Hand it one message; what it says to it, or nothing."""
        heard = self.adapter.listen(json.dumps({"jsonrpc": "2.0", **message}).encode(), 0)
        self.events += heard.events
        self.hung_up = self.hung_up or heard.hang_up
        reply: dict[str, Any] = json.loads(heard.reply) if heard.reply else {}
        return reply

    def update(self, **fields: Any) -> None:
        self.hear(method="session/update", params={"sessionId": "s", "update": fields})

    def begin(self) -> dict[str, Any]:
        """Up to the prompt, which is returned."""
        self.hear(id=0, result=CAPABLE)
        self.hear(id=1, result={"sessionId": "s", "modes": MODES})
        return self.hear(id=2, result={})

    def may(self, **call: Any) -> str:
        asked = {"toolCall": {"toolCallId": "c", **call}, "options": OPTIONS}
        answer = self.hear(id="p", method="session/request_permission", params=asked)
        return str(answer["result"]["outcome"]["optionId"])


def test_a_session_is_opened_with_our_tools_and_prompted() -> None:
    """Greeting, session with our MCP server, mode, prompt: each answer is followed by the next request."""
    talk = Talk()
    assert (talk.opening["method"], talk.opening["params"]["protocolVersion"]) == ("initialize", 1)
    new = talk.hear(id=0, result=CAPABLE)
    assert new["method"] == "session/new"
    assert new["params"]["cwd"] == "/work/root"
    assert new["params"]["mcpServers"][0]["url"] == "http://127.0.0.1:1/secret/mcp"
    mode = talk.hear(id=1, result={"sessionId": "s", "modes": MODES})
    assert (mode["method"], mode["params"]["modeId"]) == ("session/set_mode", "acceptEdits")
    prompt = talk.hear(id=2, result={})
    assert prompt["params"]["prompt"] == [{"type": "text", "text": "do it"}]
    assert talk.events == [Started(session="s")]


def test_an_agent_of_few_abilities_is_asked_for_no_more() -> None:
    """No MCP over HTTP, no loading, no modes: a new session without them, and the prompt at once."""
    talk = Talk(errand=replace(ERRAND, session="old"))
    new = talk.hear(id=0, result={})

    assert (new["method"], new["params"]["mcpServers"]) == ("session/new", [])
    assert talk.hear(id=1, result={"sessionId": "s"})["method"] == "session/prompt"


def test_a_mode_that_is_refused_does_not_matter() -> None:
    """The permissions are answered by us in any mode."""
    talk = Talk("all")
    talk.hear(id=0, result=CAPABLE)
    talk.hear(id=1, result={"sessionId": "s", "modes": MODES})

    assert talk.hear(id=2, error={"code": -32603, "message": "no"})["method"] == "session/prompt"


def test_a_loaded_session_does_not_count_again() -> None:
    """`session/load` replays the whole history: nothing of it is an event of this attempt."""
    talk = Talk(errand=replace(ERRAND, session="old"))
    load = talk.hear(id=0, result=CAPABLE)
    talk.update(sessionUpdate="tool_call", toolCallId="earlier", title="ls", kind="execute")
    talk.hear(id=1, result={})

    assert (load["method"], load["params"]["sessionId"]) == ("session/load", "old")
    assert talk.events == [Started(session="old")]


@pytest.mark.parametrize("required", [False, True])
def test_a_session_that_cannot_be_loaded_is_a_new_one(*, required: bool) -> None:
    """The prompt holds all that is needed: a new session takes its place, which is told, unless it makes no sense."""
    talk = Talk(errand=replace(ERRAND, session="old", requires_session=required))
    talk.hear(id=0, result=CAPABLE)
    failed = {"code": -32603, "message": "No previous sessions found"}
    answer = talk.hear(id=1, error=failed)

    if required:
        assert (answer, talk.hung_up) == ({}, True)
        assert talk.adapter.conclude(0).error == "No previous sessions found"
    else:
        assert (answer["method"], answer["params"]["mcpServers"][0]["name"]) == ("session/new", "unlost")
        assert talk.events == [Said(text="the earlier conversation could not be loaded: No previous sessions found")]
        assert talk.hear(id=1, error=failed) == {}
        assert talk.hung_up


def test_updates_become_events() -> None:
    """Words in pieces are said whole; a call may be announced by an update alone; a price counts in dollars."""
    talk = Talk()
    talk.begin()
    talk.update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "I "})
    talk.update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "look"})
    talk.update(sessionUpdate="tool_call_update", toolCallId="c1", title="ls -la", kind="execute")
    talk.update(sessionUpdate="usage_update", cost={"amount": 0.25, "currency": "USD"})
    talk.update(sessionUpdate="usage_update", cost={"amount": 9.0, "currency": "EUR"})
    talk.hear(id=3, result={"stopReason": "end_turn", "usage": {"inputTokens": 7, "outputTokens": 3}})

    assert talk.events[1:] == [
        Said(text="I look"),
        ToolCall(call="c1", name="execute", detail="ls -la"),
        Usage(cost_usd=0.25),
        Usage(),
        Usage(tokens=10),
        Ended(),
    ]
    assert talk.hung_up
    assert talk.adapter.conclude(-15) == Ended()


@pytest.mark.parametrize(
    ("permissions", "call", "answer"),
    [
        ("edit", {"kind": "execute"}, "yes"),
        ("edit", {"kind": "edit", "locations": [{"path": "/work/root/a.py"}]}, "yes"),
        ("edit", {"kind": "edit", "locations": [{"path": "/state/outbox/report.json"}]}, "yes"),
        ("edit", {"kind": "edit", "locations": [{"path": "/work/root/../other"}]}, "no"),
        ("edit", {"kind": "delete", "locations": [{"path": "/work/rooted"}]}, "no"),
        ("edit", {"kind": "fetch"}, "no"),
        ("all", {"kind": "fetch"}, "yes"),
        ("user", {"kind": "edit"}, "no"),
    ],
)
def test_permissions_are_answered_by_the_plan(permissions: Permissions, call: dict[str, Any], answer: str) -> None:
    """`edit` takes edits below root and outbox, and commands, no web; `all` everything; `user` nothing that asks."""
    talk = Talk(permissions)
    talk.begin()

    assert talk.may(**call) == answer
    assert talk.events[-1] == PermissionAsked(call="c", name=call["kind"], granted=answer == "yes")


def test_what_we_do_not_offer_is_refused() -> None:
    """A request for a terminal of ours gets an error, a notification nothing."""
    talk = Talk()

    assert talk.hear(id=9, method="terminal/create", params={})["error"]["code"] == -32601
    assert talk.hear(method="$/cancelRequest", params={}) == {}


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ({"result": {"stopReason": "max_turn_requests"}}, "the turn ended: max_turn_requests"),
        ({"result": {}}, "the turn ended: without a reason"),
        ({"error": {"code": -32000, "message": "Authentication required"}}, "Authentication required"),
        ({"error": {"message": "Internal error", "data": {"details": "x"}}}, 'Internal error: {"details": "x"}'),
    ],
)
def test_a_bad_end_is_told_and_hung_up_on(answer: dict[str, Any], error: str) -> None:
    """Any other end than `end_turn` is an error end, in the agent's words, whatever its exit code is then."""
    talk = Talk()
    talk.begin()
    talk.hear(id=3, **answer)

    assert talk.adapter.conclude(0) == Ended(error=error)
    assert talk.hung_up


def test_a_limit_of_the_rate_is_known_by_its_code() -> None:
    """Gemini CLI gives the HTTP status as the code of the error, with words that say nothing."""
    talk = Talk()
    talk.begin()
    talk.hear(id=3, error={"code": 429, "message": "scripted failure"})

    assert talk.adapter.conclude(0) == Ended(error="scripted failure", limit=RateLimit())


@pytest.mark.parametrize(
    ("last", "ended"),
    [
        ("exceeded retry limit, last status: 429 Too Many Requests", RateLimit()),
        ("unexpected status 401 Unauthorized", None),
    ],
)
def test_a_good_end_without_a_token_is_none(last: str, ended: RateLimit | None) -> None:
    """Codex over ACP calls a turn well that its service refused: no token was told, and the reason is what it said."""
    talk = Talk()
    talk.begin()
    talk.update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": f"{last}\n"})
    talk.hear(id=3, result={"stopReason": "end_turn", "usage": None})

    assert talk.adapter.conclude(0) == Ended(error=last, limit=ended)


def test_a_command_is_needed() -> None:
    """Without a command there is nothing to start."""
    with pytest.raises(UsageError, match="needs a command"):
        agent(AgentSettings())


def test_files_are_served_below_the_workspace(tmp_path: Path) -> None:
    """The agent's client reads and writes for it in the workspace; elsewhere it hears why not."""
    talk = Talk(errand=replace(ERRAND, root=str(tmp_path), outbox=str(tmp_path / "outbox")))
    wrote = talk.hear(id=7, method="fs/write_text_file", params={"path": str(tmp_path / "a"), "content": "x"})
    refused = talk.hear(id=8, method="fs/write_text_file", params={"path": "/etc/a", "content": "x"})

    assert talk.opening["params"]["clientCapabilities"]["fs"] == {"readTextFile": True, "writeTextFile": True}
    assert (wrote["result"], (tmp_path / "a").read_text(encoding="utf-8")) == ({}, "x")
    assert "outside the workspace" in refused["error"]["message"]


MODEL_TABLE = {"models": {"currentModelId": "small", "availableModels": [{"modelId": "small"}, {"modelId": "large"}]}}
MODEL_OPTION = {
    "configOptions": [
        {"id": "mode", "category": "mode", "options": [{"value": "large"}]},
        {"id": "m", "category": "model", "currentValue": "small", "options": [{"value": "small"}, {"value": "large"}]},
    ]
}


@pytest.mark.parametrize(
    ("told", "method", "choice"),
    [
        (MODEL_TABLE, "session/set_model", {"modelId": "large"}),
        (MODEL_OPTION, "session/set_config_option", {"configId": "m", "value": "large"}),
    ],
)
def test_the_plans_model_is_set(told: dict[str, Any], method: str, choice: dict[str, str]) -> None:
    """A model that the agent offers is chosen before the prompt, in the way in which it is offered."""
    talk = Talk(model="large")
    talk.hear(id=0, result=CAPABLE)
    asked = talk.hear(id=1, result={"sessionId": "s", **told})

    assert (asked["method"], asked["params"]) == (method, {"sessionId": "s", **choice})
    assert talk.hear(id=asked["id"], result={})["method"] == "session/prompt"
    assert talk.events == [Started(session="s", model="large")]


@pytest.mark.parametrize("told", [{}, MODEL_TABLE, MODEL_OPTION])
def test_a_model_that_is_not_offered_is_told(told: dict[str, Any]) -> None:
    """An agent that has not the plan's model goes on with its own, and the person hears of it."""
    talk = Talk(model="huge")
    talk.hear(id=0, result=CAPABLE)

    assert talk.hear(id=1, result={"sessionId": "s", **told})["method"] == "session/prompt"
    assert [event.text for event in talk.events if isinstance(event, Said)] == [
        f"the agent offers no model huge; it goes on with {'small' if told else 'its own'}"
    ]


def test_a_model_that_is_refused_is_told() -> None:
    """The same when it offers the model and then does not take it."""
    talk = Talk(model="large")
    talk.hear(id=0, result=CAPABLE)
    asked = talk.hear(id=1, result={"sessionId": "s", **MODEL_TABLE})

    assert talk.hear(id=asked["id"], error={"code": 1, "message": "no"})["method"] == "session/prompt"
    assert isinstance(talk.events[-1], Said)


def test_geminis_tokens_are_found() -> None:
    """Gemini CLI tells its tokens in a place of its own."""
    talk = Talk()
    talk.begin()
    count = {"input_tokens": 20, "output_tokens": 3}
    talk.hear(id=3, result={"stopReason": "end_turn", "_meta": {"quota": {"token_count": count}}})

    assert talk.events[-2:] == [Usage(tokens=23), Ended()]
