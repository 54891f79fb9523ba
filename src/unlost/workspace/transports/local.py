"""A place on this machine: another folder, reached by this user's own programs."""

from __future__ import annotations

import sys

from unlost.host.environment import passed_environment
from unlost.workspace.transports.carrying import porter_here
from unlost.workspace.transports.programs import ProgramTransport
from unlost.workspace.transports.targets import Target


def transport(_target: Target, _state_home: str) -> ProgramTransport:
    """The way to a folder of this machine; the interpreter is the one that runs unlost."""
    return ProgramTransport(
        wrap=lambda argv: argv,
        env=passed_environment(),
        way="this machine",
        python=sys.executable,
        porter=porter_here,
    )
