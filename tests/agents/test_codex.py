"""Codex's lines, and each that says what is not so (recorded from 0.171.0)."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kit import vendor_programs as lines

from unlost.agents.codex import agent
from unlost.agents.protocol import (
    Agent,
    AgentEvent,
    AgentSettings,
    Ended,
    Errand,
    RateLimit,
    Said,
    Started,
    ToolCall,
    Usage,
)

ERRAND = Errand(
    attempt="a-1", number=1, unit="u-1", step="code", task="t", prompt=b"", root="/r", outbox='/o "x"', folder="/f"
)


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines.install(tmp_path, "codex")
    monkeypatch.setenv("PATH", str(tmp_path))


def heard(adapter: Agent, *said: lines.Line) -> list[AgentEvent]:
    return [event for line in said for event in adapter.listen(lines.as_bytes(line), 0).events]


def configuration(argv: tuple[str, ...]) -> dict[str, Any]:
    """What the `-c` arguments say, read as Codex reads them: a dotted key and a TOML value."""
    given = [argv[at + 1] for at, word in enumerate(argv) if word == "-c"]
    return tomllib.loads("\n".join(given))


def test_a_warning_is_not_a_failure() -> None:
    """An `error` item, or an error that it recovered from, does not spoil a turn that was completed."""
    adapter = agent(AgentSettings())
    events = heard(
        adapter,
        lines.codex_item("error", "item_0", message="Model metadata not found"),
        {"type": "error", "message": "Reconnecting... 1/5"},
        lines.codex_usage(3, 1),
    )

    assert events == [Said(text="Model metadata not found"), Said(text="Reconnecting... 1/5"), Usage(tokens=4), Ended()]
    assert adapter.conclude(0) == Ended()


def test_a_failed_turn_is_an_error() -> None:
    """The end of the turn tells what went wrong; without an end, the last error does; else the exit code."""
    adapter = agent(AgentSettings())
    heard(adapter, {"type": "turn.failed", "error": {"message": "429 Too Many Requests"}})
    assert adapter.conclude(1) == Ended(error="429 Too Many Requests", limit=RateLimit())

    adapter = agent(AgentSettings())
    heard(adapter, {"type": "error", "message": "401 Unauthorized"})
    assert adapter.conclude(1) == Ended(error="401 Unauthorized")
    assert agent(AgentSettings()).conclude(1) == Ended(error="exit code 1")
    assert agent(AgentSettings()).conclude(0) == Ended(error="it left before its turn was over")


def test_usage_of_a_resumed_conversation_is_this_runs_own() -> None:
    """Its counts are the whole conversation's: what earlier runs used is taken off, and cached tokens are."""
    adapter = agent(AgentSettings())
    adapter.launch(replace(ERRAND, session="t-1", session_tokens=1000))

    assert heard(adapter, lines.codex_usage(1500, 100, cached=9000)) == [Usage(tokens=600), Ended()]


def test_a_call_is_told_once_whatever_it_is() -> None:
    """Start and end of a call carry one id; files, our tools and searches are calls too, lists of steps are none."""
    adapter = agent(AgentSettings())
    events = heard(
        adapter,
        {"type": "thread.started", "thread_id": "t-1"},
        lines.codex_item("command_execution", "item_1", state="started", command="ls"),
        lines.codex_item("command_execution", "item_1", command="ls"),
        lines.codex_item("file_change", "item_2", changes=[{"path": "a.py", "kind": "update"}]),
        lines.codex_item("mcp_tool_call", "item_3", server="unlost", tool="work_status"),
        lines.codex_item("todo_list", "item_4", items=[]),
        lines.codex_item("agent_message", "item_5", text="Done."),
    )

    assert events == [
        Started(session="t-1"),
        ToolCall(call="item_1", name="shell", detail="ls"),
        ToolCall(call="item_1", name="shell", detail="ls"),
        ToolCall(call="item_2", name="edit", detail="a.py"),
        ToolCall(call="item_3", name="unlost.work_status"),
        Said(text="Done."),
    ]


def test_permissions_become_configuration() -> None:
    """`edit` is its sandbox over folder and outbox without web; `all` has none; `user` leaves its settings alone."""
    edit = configuration(agent(AgentSettings()).launch(ERRAND).argv)
    assert (edit["sandbox_mode"], edit["approval_policy"], edit["web_search"]) == (
        "workspace-write",
        "never",
        "disabled",
    )
    assert edit["sandbox_workspace_write"]["writable_roots"] == ['/o "x"']
    every = configuration(agent(AgentSettings(permissions="all")).launch(ERRAND).argv)
    assert every["sandbox_mode"] == "danger-full-access"
    own = configuration(agent(AgentSettings(permissions="user")).launch(ERRAND).argv)
    assert not {"sandbox_mode", "approval_policy"} & own.keys()


def test_a_run_is_told_all_by_its_arguments() -> None:
    """Model, conversation, hook and tools are arguments: nobody's configuration file is written."""
    errand = replace(ERRAND, session="t-1", mcp_url="http://127.0.0.1:1/x")
    argv = agent(AgentSettings(model="gpt-5", guard="guard 'it'")).launch(errand).argv
    told = configuration(argv)

    assert argv[1:4] == ("exec", "resume", "t-1")
    assert argv[argv.index("--model") + 1] == "gpt-5"
    assert argv[-1] == "-"
    assert told["hooks"]["Stop"] == [{"hooks": [{"type": "command", "command": "guard 'it'"}]}]
    assert "--dangerously-bypass-hook-trust" in argv
    assert told["mcp_servers"]["unlost"]["required"] is True


def test_without_a_hook_no_trust_is_bypassed() -> None:
    """Hooks of others are trusted by a person alone, unless ours has to be heard."""
    argv = agent(AgentSettings()).launch(ERRAND).argv

    assert "--dangerously-bypass-hook-trust" not in argv
    assert "hooks" not in configuration(argv)
