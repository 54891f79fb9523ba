"""Carry out a plain line without click."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unlost.cli.invoked import invocation_of
from unlost.cli.plain_line import PlainLine
from unlost.host.doors import open_door
from unlost.snapshot.begun import Begun

BODIES: Final[Mapping[str, str]] = {
    "mark": "unlost.cli.marking",
    "check": "unlost.cli.checking",
    "status": "unlost.cli.lining",
    "workspace save": "unlost.cli.saving",
    "workspace restore": "unlost.cli.restoring",
}
"""What carries out the commands of plain lines."""


def carry_out(line: PlainLine, begun: Begun | None, *, leaving: bool = False) -> int:
    """Do what the line says; returns the exit code. Raises what its command raises.

    `leaving`: the process ends right afterwards (see `OpenWorkspace`).
    """
    invocation = invocation_of(line.options, begun, leaving=leaving)
    code: int = open_door(BODIES, line.command).carry_out(invocation, **line.own)
    return code
