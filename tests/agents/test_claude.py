"""Claude Code's lines, and each that says what is not so (recorded from 2.1.197)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from kit import vendor_programs as lines

from unlost.agents.claude import agent
from unlost.agents.protocol import (
    Agent,
    AgentEvent,
    AgentSettings,
    Ended,
    Errand,
    PermissionAsked,
    Permissions,
    Said,
    Started,
    ToolCall,
    Usage,
)
from unlost.facts.errors import UsageError

ERRAND = Errand(
    attempt="a-1", number=1, unit="u-1", step="code", task="t", prompt=b"", root="/r", outbox="/o", folder="/f"
)


@pytest.fixture(autouse=True)
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines.install(tmp_path, "claude")
    monkeypatch.setenv("PATH", str(tmp_path))


def heard(adapter: Agent, *said: lines.Line) -> list[AgentEvent]:
    return [event for line in said for event in adapter.listen(lines.as_bytes(line), 0).events]


def arguments(settings: AgentSettings, errand: Errand = ERRAND) -> tuple[str, ...]:
    return agent(settings).launch(errand).argv[1:]


def value_of(argv: tuple[str, ...], option: str) -> str:
    return argv[argv.index(option) + 1]


def test_an_api_failure_that_calls_itself_a_success_is_an_error() -> None:
    """`subtype` says "success" when the service answered 401: `is_error` decides, and the status is told."""
    adapter = agent(AgentSettings())
    heard(adapter, lines.claude_result(is_error=True, api_error_status=401, result="Invalid API key"))

    assert adapter.conclude(1) == Ended(error="API error 401: Invalid API key")
    assert adapter.conclude(0) == Ended(error="API error 401: Invalid API key")


def test_out_of_turns_or_money_is_told_by_its_own_words() -> None:
    """A result with `errors` is an error, told in those words."""
    adapter = agent(AgentSettings())
    heard(
        adapter,
        lines.claude_result(
            subtype="error_max_turns", is_error=True, result=None, errors=["Reached maximum number of turns (3)"]
        ),
    )

    assert adapter.conclude(1).error == "Reached maximum number of turns (3)"


def test_without_a_result_no_exit_code_is_a_good_end() -> None:
    """An exit code of 0 without a last line proves nothing; a bad one stays what it is, also after a good result."""
    assert agent(AgentSettings()).conclude(0).error == "it left without a result"
    assert agent(AgentSettings()).conclude(-9).error == "ended by signal 9"
    adapter = agent(AgentSettings())
    heard(adapter, lines.claude_result())
    assert adapter.conclude(0) == Ended()
    assert adapter.conclude(1) == Ended(error="exit code 1")


def test_a_message_in_several_lines_counts_once() -> None:
    """Parts of one message repeat its usage; what a provider's cache gave is not counted; the result has the sum."""
    adapter = agent(AgentSettings())
    events = heard(
        adapter,
        lines.claude_message(lines.claude_text("a"), tokens=10),
        lines.claude_message(lines.claude_call("toolu_1", "ls"), tokens=10),
        lines.claude_message(lines.claude_text("b"), identity="msg_2", tokens=20),
        lines.claude_result(modelUsage={"opus": {"inputTokens": 30, "outputTokens": 9, "cacheReadInputTokens": 7000}}),
    )

    assert [event for event in events if isinstance(event, Usage)] == [
        Usage(tokens=11),
        Usage(tokens=32),
        Usage(tokens=39, cost_usd=0.5),
    ]
    assert ToolCall(call="toolu_1", name="Bash", detail="ls") in events


def test_the_words_of_a_failure_cost_nothing() -> None:
    """The program's own message about an API error has no usage of a model."""
    events = heard(agent(AgentSettings()), lines.claude_message(lines.claude_text("API Error"), model="<synthetic>"))

    assert events == [Started(session="s-1"), Said(text="API Error")]


def test_silent_retries_are_told() -> None:
    """While the service fails, each retry is something said: it may take minutes."""
    retry = {"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10, "error_status": 429}
    (said,) = heard(agent(AgentSettings()), {**retry, "error": "rate_limit"})

    assert said == Said(text="the service failed (429 rate_limit); retry 1 of 10")


def test_the_newest_session_is_the_one_to_resume() -> None:
    """A resumed conversation may go on under another id: each new one is told, a known one is not told again."""
    events = heard(
        agent(AgentSettings()),
        lines.claude_init("s-1"),
        lines.claude_message(lines.claude_text("x")),
        lines.claude_result(session_id="s-2"),
    )

    assert [event.session for event in events if isinstance(event, Started)] == ["s-1", "s-2"]


def test_what_was_refused_is_told() -> None:
    """Each refused call of the run is told once, from the result."""
    denied = {"tool_name": "WebFetch", "tool_use_id": "toolu_9", "tool_input": {}}
    events = heard(agent(AgentSettings()), lines.claude_result(permission_denials=[denied]))

    assert PermissionAsked(call="toolu_9", name="WebFetch", granted=False) in events


@pytest.mark.parametrize(
    ("permissions", "mode", "allowed"),
    [("edit", "acceptEdits", "Bash"), ("all", "bypassPermissions", None), ("user", None, None)],
)
def test_permissions_become_arguments(permissions: Permissions, mode: str | None, allowed: str | None) -> None:
    """`edit` takes edits below the folder and shell commands, no web; `all` everything; `user` sets nothing."""
    argv = arguments(AgentSettings(permissions=permissions))

    assert ("--permission-mode" in argv) == (mode is not None)
    assert mode is None or value_of(argv, "--permission-mode") == mode
    assert allowed is None or value_of(argv, "--allowedTools") == allowed
    assert ("--disallowedTools" in argv) == (permissions == "edit")
    assert value_of(argv, "--add-dir") == "/o"


def test_a_run_is_told_all_by_its_arguments() -> None:
    """Model, conversation, money, hook and tools are arguments: nobody's settings file is written."""
    errand = replace(ERRAND, session="s-1", cost_usd=2.5, mcp_url="http://127.0.0.1:1/x")
    launch = agent(AgentSettings(model="opus", guard="guard it")).launch(errand)

    assert value_of(launch.argv, "--model") == "opus"
    assert value_of(launch.argv, "--resume") == "s-1"
    assert value_of(launch.argv, "--max-budget-usd") == "2.5000"
    settings = json.loads(value_of(launch.argv, "--settings"))
    assert settings["hooks"]["PreToolUse"] == [
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "guard it"}]}
    ]
    assert value_of(launch.argv, "--allowedTools") == "Bash,mcp__unlost"
    assert launch.env["MCP_CONNECTION_NONBLOCKING"] == "0"


def test_a_program_that_is_not_there_is_refused_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing starts without the program."""
    monkeypatch.setenv("PATH", "/nowhere")

    with pytest.raises(UsageError, match="not on PATH") as caught:
        agent(AgentSettings())
    assert caught.value.hint == "npm install -g @anthropic-ai/claude-code"
