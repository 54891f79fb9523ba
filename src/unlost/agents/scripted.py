"""The scripted agent: our own program that plays a file of steps, talked to as any command is."""

from __future__ import annotations

import os
import sys
from typing import Final

from unlost.agents.command import Command
from unlost.agents.protocol import AgentSettings
from unlost.agents.script import parse_script
from unlost.facts.errors import UsageError
from unlost.host.reading import read_regular

PROGRAM: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scripted_program.py")
_LIMIT: Final = 16 << 20


def agent(settings: AgentSettings) -> Command:
    """The adapter for `[agent] use = "scripted"`. Raises UsageError without a script, FileInvalid for a bad one."""
    script = settings.script
    data = read_regular(script, _LIMIT) if script else None
    if script is None or data is None:
        raise UsageError(f"the scripted agent has no script: {script}", hint='[agent] script = "steps.toml"')
    parse_script(data, name=script)
    return Command((sys.executable, "-I", "-S", PROGRAM, script))
