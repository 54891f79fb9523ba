"""Plans for tests: a `command` agent that is a shell script, one branch for each task."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PlannedWork:
    """A plan file whose agent does, for each task, what the test wrote in shell; it counts every attempt."""

    plan: Path
    roll: Path

    @classmethod
    def write(cls, folder: Path, tasks: dict[str, str], *, head: str = "", keys: str = "") -> PlannedWork:
        """Write agent and plan into `folder` (outside the repository).

        `tasks` maps a task id to the shell lines of its attempts. `head` is TOML before the tasks, `keys`
        are TOML lines put into every task.
        """
        folder.mkdir(parents=True, exist_ok=True)
        roll = folder / "roll"
        branches = "\n".join(f"  {task})\n{lines}\n    ;;" for task, lines in tasks.items())
        agent = folder / "agent.sh"
        agent.write_text(
            f'#!/bin/sh\nset -eu\ncat >"{folder}/prompt.$UNLOST_TASK"\n'
            f'printf "%s\\n" "$UNLOST_TASK" >>"{roll}"\n'
            f'case "$UNLOST_TASK" in\n{branches}\nesac\n'
        )
        agent.chmod(0o755)
        text = [f'title = "A plan of a test"\ngoal = "Do the tasks."\n{head}']
        text.append(f'[agent]\nuse = "command"\ncommand = [{json.dumps(str(agent))}]\n')
        text += [f'[[task]]\nid = "{task}"\ntext = "Do {task}."\n{keys}\n' for task in tasks]
        plan = folder / "plan.toml"
        plan.write_text("\n".join(text))
        return cls(plan=plan, roll=roll)

    def attempts(self) -> list[str]:
        """The task of every attempt that ran, in order."""
        return self.roll.read_text().split() if self.roll.exists() else []

    def prompt(self, task: str) -> str:
        """What the newest attempt of a task was told."""
        return (self.plan.parent / f"prompt.{task}").read_text()
