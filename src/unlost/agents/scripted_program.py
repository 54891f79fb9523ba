"""The scripted agent's program: `python -I -S …/unlost/agents/scripted_program.py SCRIPT`, started as any agent is.

It reads nothing of its prompt. SIGINT, which asks an agent to end, interrupts the step it is at; the steps
`on = "cancel"` are played and it leaves with 130.
"""

from __future__ import annotations

import os
import sys
from typing import Final

# As in host/shim/__main__.py: nothing of the user's environment or of a work tree can change what runs here.
sys.path.append(__file__.removesuffix("/unlost/agents/scripted_program.py"))

from unlost.agents.script import Occasion, Step, parse_script
from unlost.agents.stage import Left, Stage, StepFailed, tell
from unlost.facts.errors import FileInvalid
from unlost.host.clock import SystemClock
from unlost.host.environment import current_environment

_INTERRUPTED: Final = 130


def main(script: str) -> int:
    """Play the steps that fit this attempt; return the exit code of the agent."""
    try:
        with open(script, "rb") as file:
            steps = parse_script(file.read(), name=script)
    except (OSError, FileInvalid) as error:
        return _fail(str(error))
    environment = current_environment()
    occasion = Occasion(
        task=environment.get("UNLOST_TASK", ""),
        attempt=int(environment.get("UNLOST_ATTEMPT_NUMBER", "1")),
        step=environment.get("UNLOST_STEP", "code"),
    )
    fitting = [step for step in steps if step.fits(occasion)]
    outbox = environment.get("UNLOST_OUTBOX", "")
    stage = Stage(root=os.getcwd(), outbox=outbox, environment=environment, clock=SystemClock())
    try:
        try:
            return _play(stage, [step for step in fitting if not step.on_cancel])
        except KeyboardInterrupt:
            _play(stage, [step for step in fitting if step.on_cancel])
            return _INTERRUPTED
    except Left as left:
        return left.code
    except StepFailed as failure:
        return _fail(str(failure))


def _play(stage: Stage, steps: list[Step]) -> int:
    for step in steps:
        stage.play(step)
    return 0


def _fail(error: str) -> int:
    tell(type="ended", error=error)
    sys.stderr.write(error + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
