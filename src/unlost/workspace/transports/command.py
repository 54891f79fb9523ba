"""A place behind a command that runs a program elsewhere: `docker exec -i NAME`, `podman exec -i NAME`, `nsenter …`.

The command must hand on stdin, stdout and the exit code, and take the program with its arguments as its own last
arguments; `docker exec` does with `-i`.
"""

from __future__ import annotations

from unlost.facts.quoting import clean
from unlost.host.environment import passed_environment
from unlost.workspace.transports.programs import ProgramTransport
from unlost.workspace.transports.targets import Target

_PASSED = ("DOCKER_*", "CONTAINER_*", "KUBECONFIG", "XDG_*")


def transport(target: Target, _state_home: str) -> ProgramTransport:
    """The way behind the target's prefix; the interpreter is the place's own."""
    return ProgramTransport(
        wrap=lambda argv: (*target.prefix, *argv),
        env=passed_environment(_PASSED),
        way=clean(" ".join(target.prefix), one_line=True),
        python="python3",
    )
