"""Which agent a command line means: the user's `[agent]` settings, overruled by its options."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from unlost.cli.invocation import Invocation
from unlost.facts.errors import UsageError
from unlost.plan.draft import Draft
from unlost.plan.facts import AgentChoice
from unlost.plan.parse import judge_draft, plan_of
from unlost.settings import read_settings


def configured_agent(
    invocation: Invocation, *, use: str | None = None, command: str | None = None, script: str | None = None
) -> AgentChoice:
    """The agent of the settings with these keys put over them, held to the rules of a plan's `[agent]`.

    `command` is a command line as a shell would split it. Raises FileInvalid, UsageError.
    """
    given: Mapping[str, object | None] = {
        "use": use,
        "command": None if command is None else _words(command),
        "script": script,
    }
    table = {**read_settings(invocation.environment).agent, **{key: value for key, value in given.items() if value}}
    values = {"agent": table, "goal": "any", "task": [{"id": "any", "text": "any"}]}
    return plan_of(judge_draft(Draft(values=values)), name="the agent").agent


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command cannot be split into words: {error}", hint="mind the quotes") from error
