"""Agents apart from the work tree on this machine: researchers and reviewers in throw-away, read-only checkouts.

Nothing here takes the workspace's writer lock: each kind has a folder of records, and a lock, of its own.
"""

from __future__ import annotations

import os

from unlost.agents.protocol import StepKind
from unlost.app.attempts import LocalAttempts
from unlost.app.desk import Desks
from unlost.engine.apart_ports import ApartOrder, Investigated, Listen, Stop
from unlost.engine.ports import AttemptOrder
from unlost.facts.records import dataclass, replace
from unlost.host.clock import Clock
from unlost.plan.facts import AgentChoice
from unlost.snapshot.checkout import Trees, checkout
from unlost.snapshot.touched import remove_checkout, touched_paths


@dataclass(frozen=True, kw_only=True)
class Apart:
    """Runs agents in checkouts of `trees`; `folder` is this kind's own in the workspace's folder.

    `task` is what their environment and records call their task: they have none of the plan's.
    """

    trees: Trees
    folder: str
    plan_folder: str
    clock: Clock
    step: StepKind
    task: str
    desks: Desks | None = None

    def run(self, order: ApartOrder, listen: Listen, stop: Stop) -> Investigated:
        """Run one agent to its end; what it changed in its checkout is named and gone."""
        os.makedirs(self._checkouts, mode=0o700, exist_ok=True)
        name = _checkout_name(order.identity)
        with checkout(self.trees, order.tree, parent=self._checkouts, new_id=lambda _: name) as root:
            attempt = AttemptOrder(
                identity=order.identity,
                unit=order.unit,
                task=self.task,
                number=order.number,
                prompt=order.prompt,
                agent=without_credentials(order.agent),
                caps=order.caps,
                step=self.step,
            )
            end = self._attempts(root).run(attempt, listen, stop)
            return Investigated(end=end, discarded=touched_paths(self.trees, order.tree, root))

    def settle(self, identity: str, agent: AgentChoice, tree: str) -> Investigated:
        """How an agent ended whose supervisor died; nothing of it runs, and its checkout is gone."""
        root = os.path.join(self._checkouts, _checkout_name(identity))
        end = self._attempts(root).settle(identity, without_credentials(agent))
        discarded = touched_paths(self.trees, tree, root) if os.path.isdir(root) else ()
        remove_checkout(self._checkouts, _checkout_name(identity))
        return Investigated(end=end, discarded=discarded)

    @property
    def _checkouts(self) -> str:
        return os.path.join(self.folder, "checkouts")

    def _attempts(self, root: str) -> LocalAttempts:
        return LocalAttempts(
            root=root,
            workspace_folder=self.folder,
            plan_folder=self.plan_folder,
            clock=self.clock,
            desks=self.desks,
        )


def without_credentials(agent: AgentChoice) -> AgentChoice:
    """An agent as it works apart: the same program and model, nothing passed through, the least permission."""
    return replace(agent, env=(), permissions="edit")


def _checkout_name(identity: str) -> str:
    return f"checkout-{identity}"
