"""Plans for tests whose scripted agent plays every part: research, code, review, repair; it keeps a roll."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit

TASKS = {"swap": "Swap the call.", "tell": "Say so in notes.txt."}


@dataclass(frozen=True)
class ScriptedWork:
    """A plan file, and the roll on which every run of its agent writes `STEP TASK`."""

    plan: Path
    roll: Path

    @classmethod
    def write(
        cls,
        folder: Path,
        steps: list[dict[str, Any]],
        *,
        workflow: tuple[str, ...] = ("code",),
        tasks: dict[str, str] | None = None,
        **tables: Any,
    ) -> ScriptedWork:
        """Write script and plan; `tables` are the plan's tables beside those that every plan of a test has."""
        folder.mkdir(parents=True, exist_ok=True)
        roll = folder / "roll"
        keeping = {"do": "shell", "run": f'echo "$UNLOST_STEP $UNLOST_TASK" >>"{roll}"'}
        (folder / "steps.toml").write_text(tomlkit.dumps({"step": [keeping, *steps]}))
        plan = {
            "title": "Drop the legacy parser",
            "goal": "The legacy parser goes.",
            "agent": {"use": "scripted", "script": "steps.toml"},
            "workflow": {"steps": list(workflow)},
            **({"review": {"use": "scripted"}} if "review" in workflow else {}),
            **tables,
            "task": [{"id": name, "text": text} for name, text in (tasks or TASKS).items()],
        }
        (folder / "plan.toml").write_text(tomlkit.dumps(plan))
        return cls(plan=folder / "plan.toml", roll=roll)

    def ran(self) -> list[str]:
        """Every run of the agent, in order."""
        return self.roll.read_text().splitlines() if self.roll.exists() else []


def finding(file: str, what: str, *, severity: str = "error", why: str = "It breaks.") -> dict[str, Any]:
    """One finding as a reviewer hands it in."""
    return {"file": file, "lines": [1, 1], "severity": severity, "what": what, "why": why}


def hands_in(*found: dict[str, Any], review: int | list[int] | None = None) -> dict[str, Any]:
    """The step of a reviewer that hands findings in, in the review of this number (None: in each)."""
    only: dict[str, Any] = {"step": "review"}
    if review is not None:
        only["attempt"] = review
    return {"do": "findings", "value": {"schema": "unlost.findings/1", "findings": list(found)}, "only": only}
