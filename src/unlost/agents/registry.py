"""The agents that can be named in a plan, each in a module of its own that opens on first use."""

from __future__ import annotations

from typing import Final, Protocol, cast

from unlost.agents.protocol import Agent, AgentSettings
from unlost.host.doors import open_door

AGENTS: Final = {
    "acp": "unlost.agents.acp",
    "claude": "unlost.agents.claude",
    "codex": "unlost.agents.codex",
    "command": "unlost.agents.command",
    "gemini": "unlost.agents.gemini",
    "opencode": "unlost.agents.opencode",
    "scripted": "unlost.agents.scripted",
}


class _Adapter(Protocol):
    """What an adapter's module offers."""

    def agent(self, settings: AgentSettings) -> Agent: ...


def open_agent(name: str, settings: AgentSettings) -> Agent:
    """A fresh adapter for one attempt. Raises UsageError for an unknown name or unusable settings."""
    return cast("_Adapter", open_door(AGENTS, name)).agent(settings)
