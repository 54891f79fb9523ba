"""The vendors' own programs against the scripted model: a plan, a repository, nothing of the person's."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kit.program import Program
from kit.scripted_model import ScriptedModel, Step

BIN = Path(__file__).resolve().parent.parent.parent / ".venv" / "agents" / "node_modules" / ".bin"
_CODEX_CONFIGURATION = """
model = "gpt-5"
model_provider = "scripted"
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
"""


_GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}},
    "telemetry": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "general": {"maxAttempts": 1},
}


def _opencode_configuration(url: str) -> dict[str, object]:
    model = {"limit": {"context": 200_000, "output": 8192}, "cost": {"input": 1, "output": 2}}
    options = {"baseURL": f"{url}/v1", "apiKey": "no-key"}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"scripted": model}}
    return {
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "autoupdate": False,
        "share": "disabled",
        "enabled_providers": ["scripted"],
        "provider": {"scripted": provider},
    }


def missing(agent: str) -> str | None:
    """Why an agent cannot be run here, or None."""
    return None if (BIN / agent).exists() else f"{agent} is not installed: sh scripts/install_agents.sh .venv/agents"


def variables(agent: str, model: ScriptedModel, folder: Path) -> dict[str, str]:
    """What makes an agent talk to the scripted model, with all it keeps below `folder`."""
    home, temporary = folder / "home", folder / "temporary"
    for made in (home, temporary):
        made.mkdir(parents=True, exist_ok=True)
    # Codex's sandbox breaks when its own folder lies below the folder for temporary files.
    ours = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(home), "TMPDIR": str(temporary)}
    if agent.startswith("claude"):
        # Over ACP it starts with options that it takes from root only on a machine that is expendable.
        switches = {"IS_SANDBOX": "1"} if agent == "claude-agent-acp" else {}
        switches |= {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "1"}
        return {**ours, **switches, "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "no-key"}
    if agent == "opencode":
        # It needs no price list and no packages from outside; what it asks for is refused at once.
        switches = {"OPENCODE_DISABLE_MODELS_FETCH": "1", "npm_config_registry": "http://127.0.0.1:9/"}
        return {**ours, **switches, "OPENCODE_CONFIG_CONTENT": json.dumps(_opencode_configuration(model.url))}
    if agent == "gemini":
        settings = home / ".gemini" / "settings.json"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(json.dumps(_GEMINI_SETTINGS), encoding="utf-8")
        keys = {"GEMINI_API_KEY": "no-key", "GEMINI_MODEL": "gemini-2.5-pro", "NO_BROWSER": "1"}
        return {**ours, **keys, "GOOGLE_GEMINI_BASE_URL": model.url}
    configuration = home / ".codex" / "config.toml"
    configuration.parent.mkdir(exist_ok=True)
    configuration.write_text(_CODEX_CONFIGURATION.format(url=model.url), encoding="utf-8")
    keys = {"OPENAI_API_KEY": "no-key", "CODEX_API_KEY": "no-key", "NO_BROWSER": "1"}
    return {**ours, **keys, "CODEX_HOME": str(configuration.parent)}


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One agent, the model that plays it, and a repository to work in."""

    agent: str
    model: ScriptedModel
    program: Program
    folder: Path

    def plan(self, scenarios: Mapping[str, Sequence[Step]], *, agent: str = "", head: str = "") -> str:
        """A plan with one task for each scenario, in order. `agent` and `head` are further TOML lines."""
        self.model.scenarios = scenarios
        use = f'use = "acp"\ncommand = ["{self.agent}"]' if self.agent.endswith("-acp") else f'use = "{self.agent}"'
        text = [f'goal = "Do the tasks."\n{head}\n[agent]\n{use}\n{agent}\n']
        text += [f'[[task]]\nid = "{name}"\ntext = "SCENARIO:{name} do it"\n' for name in scenarios]
        file = self.folder / "plan.toml"
        file.write_text("\n".join(text), encoding="utf-8")
        return str(file)

    def steps(self, scenario: str) -> list[int]:
        """The step of each request of a scenario."""
        return [asked.step for asked in self.model.asked if asked.scenario == scenario]
