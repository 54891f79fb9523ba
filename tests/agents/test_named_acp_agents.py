"""opencode and Gemini CLI: what is special about each beside ACP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from unlost.agents.protocol import AgentSettings, Errand, Launch
from unlost.agents.registry import open_agent
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
)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs of these names on PATH."""
    for name in ("opencode", "gemini"):
        (tmp_path / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def launched(name: str, settings: AgentSettings) -> Launch:
    return open_agent(name, settings).launch(ERRAND)


def rules(settings: AgentSettings) -> object:
    return json.loads(launched("opencode", settings).env.get("OPENCODE_PERMISSION", "null"))


@pytest.mark.usefixtures("programs")
def test_opencode_denies_by_rules_of_its_own() -> None:
    """`edit` lets files and shell run, denies web and foreign folders but the outbox, and discards when guarded."""
    edit = rules(AgentSettings(permissions="edit", guard="hook"))

    assert isinstance(edit, dict)
    assert (edit["*"], edit["webfetch"]) == ("allow", "deny")
    assert edit["external_directory"] == {"*": "deny", "/state/outbox/*": "allow"}
    assert (edit["bash"]["*"], edit["bash"]["git reset --hard*"]) == ("allow", "deny")
    assert next(iter(edit["bash"])) == "*"  # the last rule that fits counts
    assert rules(AgentSettings(permissions="all")) == {"*": "allow", "bash": {"*": "allow"}}
    assert rules(AgentSettings(permissions="user", guard="hook")) is None


def test_each_runs_as_one_process_that_asks_nothing(programs: Path) -> None:
    """Each is started in its ACP mode, with the vendor's switches for a run that nobody watches."""
    opencode = launched("opencode", AgentSettings(model="a/b"))
    gemini = launched("gemini", AgentSettings(model="gemini-2.5-pro"))

    assert opencode.argv == (str(programs / "opencode"), "acp")
    assert opencode.env["OPENCODE_DISABLE_AUTOUPDATE"] == "1"
    assert gemini.argv == (str(programs / "gemini"), "--acp", "--skip-trust", "--model", "gemini-2.5-pro")
    assert gemini.env == {"GEMINI_CLI_NO_RELAUNCH": "true"}


@pytest.mark.parametrize("name", ["opencode", "gemini"])
def test_a_program_that_is_not_there_is_told(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the program nothing is started, and the error says how to install it."""
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UsageError, match="not on PATH") as caught:
        open_agent(name, AgentSettings())
    assert "npm install" in (caught.value.hint or "")
