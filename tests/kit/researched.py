"""Plans with a research step for tests: a scripted agent that investigates and codes, and keeps a roll of its runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kit.repository import Repository

QUESTION = "Is the 1.x format still to be read?"
CODING = [
    {"do": "edit", "path": "main.rs", "before": "legacy_parse", "after": "parse", "only": {"task": "swap"}},
    {"do": "write", "path": "notes.txt", "text": "swapped\n", "only": {"task": "tell"}},
]


def ready_brief(commit: str, **changes: Any) -> dict[str, Any]:
    """A brief that coding may start on."""
    return {
        "schema": "unlost.brief/1",
        "goal": "Drop the legacy parser",
        "commit": commit,
        "complexity": "simple",
        "readiness": "ready",
        "evidence": [{"claim": "main.rs alone calls it", "source": "s1"}],
        "sources": [{"id": "s1", "kind": "file", "ref": "main.rs:2"}],
        "assumptions": ["nobody links against it"],
        "unknowns": ["whether 1.x files are still about"],
        "approach": ["swap the call", "tell it in the notes"],
        "verification": ["grep finds no call"],
        **changes,
    }


def blocked_brief(commit: str) -> dict[str, Any]:
    """A brief whose missing decision is a question."""
    return ready_brief(commit, readiness="blocked", blocked_reason=QUESTION)


@dataclass(frozen=True)
class ResearchedWork:
    """A plan file, and the roll on which every run of its agent writes `STEP TASK`."""

    plan: Path
    roll: Path

    @classmethod
    def write(
        cls,
        folder: Path,
        brief: dict[str, Any] | str | None,
        *,
        research: list[dict[str, Any]] | None = None,
        coding: list[dict[str, Any]] | None = None,
        head: str = "",
        agent: str = "",
    ) -> ResearchedWork:
        """Write script and plan; `research` and `coding` are steps of the scripted agent beside handing back."""
        folder.mkdir(parents=True, exist_ok=True)
        roll = folder / "roll"
        keeping = {"do": "shell", "run": f'echo "$UNLOST_STEP $UNLOST_TASK" >>"{roll}"'}
        investigating = list(research or [])
        if brief is not None:
            investigating.append({"do": "research", "value": brief})
        steps = [
            keeping,
            *({**step, "only": {"step": "research"}} for step in investigating),
            *(CODING if coding is None else coding),
        ]
        (folder / "steps.toml").write_text("".join(f"[[step]]\n{_lines(step)}\n" for step in steps))
        plan = folder / "plan.toml"
        plan.write_text(
            'title = "Drop the legacy parser"\ngoal = "The legacy parser goes."\n'
            f'[agent]\nuse = "scripted"\nscript = "steps.toml"\n{agent}\n'
            f'[workflow]\nsteps = ["research", "code"]\n{head}\n'
            '[[task]]\nid = "swap"\ntext = "Swap the call."\n[[task]]\nid = "tell"\ntext = "Say so in notes.txt."\n'
        )
        return cls(plan=plan, roll=roll)

    def ran(self) -> list[str]:
        """Every run of the agent, in order."""
        return self.roll.read_text().splitlines() if self.roll.exists() else []


def head_of(repository: Repository) -> str:
    """The commit that HEAD names."""
    return repository.git("rev-parse", "HEAD")


def _lines(step: dict[str, Any]) -> str:
    return "\n".join(f"{key} = {_toml(value)}" for key, value in step.items())


def _toml(value: Any) -> str:
    """A value as TOML writes it; JSON's texts and numbers are TOML's, too."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(_toml(inner) for inner in value) + "]"
    return json.dumps(value)
