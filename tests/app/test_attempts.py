"""Attempts on this machine whose supervisor died while their agent was handing over."""

from __future__ import annotations

from pathlib import Path

from kit.ground import Audience, Ground, fast

from unlost.agents.command import Command
from unlost.app.attempts import LocalAttempts
from unlost.attempt.handing_over import asking_identity
from unlost.attempt.prepare import folders
from unlost.attempt.run import run
from unlost.host.clock import SystemClock
from unlost.plan.facts import AgentChoice

CHOICE = AgentChoice(use="command", command=("true",))


def test_a_handoff_that_was_asked_for_is_settled_with_its_attempt(tmp_path: Path) -> None:
    """Both runs are found out about as one attempt: how the first ended, what both used, what was handed over."""
    ground = Ground(tmp_path)
    try:
        used = """echo '{"type": "tool", "name": "edit"}'; echo '{"type": "tool", "name": "edit"}'; exec sleep 300"""
        run(ground.request(ground.first, shell(used), caps=fast(turns=1)), Audience(), SystemClock())
        asked = """echo '{"type": "tool", "name": "submit_handoff"}'; sleep 0.5"""
        run(ground.request(asking_identity(ground.first), shell(asked), caps=fast()), Audience(), SystemClock())
        Path(folders(ground.workspace, ground.first).outbox, "handoff.json").write_text("{}", encoding="utf-8")
        attempts = LocalAttempts(
            root=ground.root, workspace_folder=ground.workspace, plan_folder=ground.root, clock=SystemClock()
        )
        end = attempts.settle(ground.first, CHOICE)

        assert (end.attempt, end.reason, end.turns) == (ground.first, "turns", 3)
        assert end.returned.handoff == b"{}"
        ground.assert_over(ground.first, asking_identity(ground.first))
    finally:
        ground.close()


def shell(line: str) -> Command:
    return Command(("/bin/sh", "-c", line))
