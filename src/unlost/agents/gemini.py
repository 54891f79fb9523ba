"""Gemini CLI as an agent: `gemini --acp`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unlost.agents.acp import Acp, Profile
from unlost.agents.protocol import AgentSettings, Errand
from unlost.agents.vendors import NETWORK, installed
from unlost.facts.records import replace

PACKAGE: Final = "@google/gemini-cli"
TESTED: Final = "0.61.0"
"""The version that `make test-all` runs."""

_VARIABLES: Final = (*NETWORK, "GEMINI_*", "GOOGLE_*", "CODE_ASSIST_*", "NO_BROWSER")
# Else it starts itself a second time, and the second one outlives the end of its stdin.
_ONE_PROCESS: Final = {"GEMINI_CLI_NO_RELAUNCH": "true"}


def _environment(_settings: AgentSettings, _errand: Errand) -> Mapping[str, str]:
    return _ONE_PROCESS


# A file that it wants to make it first asks its client for, and takes the answer that there is none for a failure.
_PROFILE: Final = Profile(variables=_VARIABLES, environment=_environment, serves_files=False)


def agent(settings: AgentSettings) -> Acp:
    """The adapter for `[agent] use = "gemini"`. Raises UsageError when the program is not installed."""
    program = installed("gemini", package=PACKAGE)
    model = ("--model", settings.model) if settings.model else ()
    # A folder that nobody has trusted yet is one it would ask about, which nobody could answer.
    command = (program, "--acp", "--skip-trust", *model)
    return Acp(replace(settings, command=command, model=None), _PROFILE)
