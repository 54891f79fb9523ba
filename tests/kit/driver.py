"""A supervisor as a process of its own: runs one attempt, says how it ended, can be killed at will."""

from __future__ import annotations

import json
import sys

from unlost.agents.command import Command
from unlost.agents.protocol import AgentEvent, Errand
from unlost.attempt.facts import AttemptRequest, Caps
from unlost.attempt.prepare import folders
from unlost.attempt.run import run
from unlost.facts.errors import TryLater
from unlost.host.clock import SystemClock
from unlost.host.environment import passed_environment


class Mute:
    def event(self, event: AgentEvent) -> None: ...

    def pulse(self) -> bool:
        return False


def main(told: str) -> None:
    order = json.loads(told)
    made = folders(order["workspace"], order["attempt"])
    errand = Errand(
        attempt=order["attempt"],
        number=1,
        unit="u-1",
        step="code",
        task="t",
        prompt=b"",
        root=order["root"],
        outbox=made.outbox,
        folder=made.private,
    )
    request = AttemptRequest(
        workspace_folder=order["workspace"],
        errand=errand,
        agent=Command(tuple(order["agent"])),
        environment=passed_environment(("ROLL",)),
        caps=Caps(**order["caps"]),
    )
    try:
        end = run(request, Mute(), SystemClock())
    except TryLater as error:
        said = f"BUSY {error.message}"
    else:
        said = f"{end.reason} interrupted" if end.interrupted else end.reason
    sys.stdout.write(said + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
