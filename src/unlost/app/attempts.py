"""Agents on this machine, as the engine asks for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from typing import Final

from unlost.agents.protocol import AgentEvent, AgentSettings, Errand
from unlost.agents.registry import open_agent
from unlost.app.agent_place import agent_environment, agent_walls, require_sandbox
from unlost.app.autosaving import Autosaving
from unlost.app.desk import Desks
from unlost.app.hook_files import hook_command
from unlost.attempt.end import read_spent
from unlost.attempt.facts import AttemptEnd, AttemptRequest
from unlost.attempt.handing_over import asking, asking_identity, can_ask, joined, was_asked
from unlost.attempt.orphans import settle
from unlost.attempt.prepare import Folders, folders
from unlost.attempt.run import run
from unlost.engine.ports import AttemptOrder
from unlost.facts.records import dataclass, replace
from unlost.host.clock import Clock
from unlost.plan.facts import AgentChoice
from unlost.prompt.handing_over import handoff_request

# A reader at its cap has nothing to hand over but what it was asked for.
_HAND_OVER: Final = frozenset({"code", "repair"})


def _note_nothing(_: str) -> None:
    """Where nobody listens."""


@dataclass(frozen=True, kw_only=True)
class LocalAttempts:
    """Runs agents in the work tree at `root`; `plan_folder` is what a script's relative path starts from.

    `workspace_folder` is the workspace's own in the state home: the writer lock and every attempt's records are there.
    With `autosaving` the tree is saved while an agent works in it, and `note` hears of saves that failed; with `desks`
    it gets our tools.
    """

    root: str
    workspace_folder: str
    plan_folder: str
    clock: Clock
    autosaving: Autosaving | None = None
    desks: Desks | None = None
    note: Callable[[str], None] = _note_nothing

    def run(self, order: AttemptOrder, listen: Callable[[AgentEvent], None], stop: Callable[[], bool]) -> AttemptEnd:
        """Run one agent to its end (see `Attempts.run`)."""
        made = folders(self.workspace_folder, order.identity)
        agent = open_agent(order.agent.use, agent_settings(order.agent, self.plan_folder))
        with (
            nullcontext() if self.autosaving is None else self.autosaving.during(self.note),
            nullcontext() if self.desks is None else self.desks.open(made.outbox) as mcp_url,
        ):
            environment = agent_environment(order.agent, agent.variables, self.workspace_folder)
            request = AttemptRequest(
                workspace_folder=self.workspace_folder,
                errand=self._errand(order, made, mcp_url),
                agent=agent,
                environment=environment,
                caps=order.caps,
                walls=agent_walls(order.agent, self.root, self.workspace_folder, made, environment),
            )
            observer = _Observer(listen=listen, stop=stop)
            return self._handed_over(order, request, run(request, observer, self.clock), observer)

    def settle(self, identity: str, agent: AgentChoice) -> AttemptEnd:
        """How an attempt ended whose supervisor died (see `Attempts.settle`).

        An agent that left by itself is judged by a fresh adapter, which has heard nothing of it: one that goes by the
        exit code alone can tell, one that needs the agent's own last word calls it an error.
        """
        end = settle(self.workspace_folder, identity, self.clock)
        if was_asked(self.workspace_folder, identity):
            asked = settle(self.workspace_folder, asking_identity(identity), self.clock)
            end = joined(self.workspace_folder, end, asked)
        if end.reason != "exited":
            return end
        adapter = open_agent(agent.use, agent_settings(agent, self.plan_folder))
        return replace(end, error=adapter.conclude(end.exit_code).error)

    def _handed_over(
        self, order: AttemptOrder, request: AttemptRequest, end: AttemptEnd, observer: _Observer
    ) -> AttemptEnd:
        """The end of an attempt, with the handoff that its agent is asked for at its cap of turns."""
        if order.step not in _HAND_OVER or not can_ask(request, end):
            return end
        again = open_agent(order.agent.use, agent_settings(order.agent, self.plan_folder))
        prompt = handoff_request(order.task, order.caps.turns)
        return joined(self.workspace_folder, end, run(asking(request, end, again, prompt), observer, self.clock))

    def _errand(self, order: AttemptOrder, made: Folders, mcp_url: str | None) -> Errand:
        session, session_tokens = self._conversation(order.earlier)
        return Errand(
            attempt=order.identity,
            number=order.number,
            unit=order.unit,
            step=order.step,
            task=order.task,
            prompt=order.prompt,
            root=self.root,
            outbox=made.outbox,
            folder=made.private,
            mcp_url=mcp_url,
            session=session,
            session_tokens=session_tokens,
            turns=order.caps.turns,
            cost_usd=order.caps.cost_usd,
        )

    def _conversation(self, earlier: tuple[str, ...]) -> tuple[str | None, int]:
        """The newest earlier attempt's session, if it had one, and the tokens that all its attempts told.

        The session is known here alone: another machine's attempt begins a conversation of its own.
        """
        runs = [(each, asking_identity(each)) for each in earlier]
        spent = [read_spent(self.workspace_folder, identity) for pair in runs for identity in pair]
        session = next((each.session for each in reversed(spent[-2:]) if each.session), None)
        if session is None:
            return None, 0
        return session, sum(each.usage.tokens or 0 for each in spent if each.session == session)


@dataclass(frozen=True, kw_only=True)
class _Observer:
    """Watches an attempt for the engine."""

    listen: Callable[[AgentEvent], None]
    stop: Callable[[], bool]

    def event(self, event: AgentEvent) -> None:
        self.listen(event)

    def pulse(self) -> bool:
        return self.stop()


def agent_settings(agent: AgentChoice, plan_folder: str) -> AgentSettings:
    """The `[agent]` table as adapters need it; a script is found beside its plan.

    The hook of an attempt is an argument of its agent: no settings file is written (decision 16).
    """
    script = None if agent.script is None else os.path.join(plan_folder, agent.script)
    return AgentSettings(
        command=agent.command,
        script=script,
        model=agent.model,
        permissions=agent.permissions,
        guard=hook_command(agent.use) if agent.guard_hook else None,
    )


def usable(agent: AgentChoice, plan_folder: str) -> None:
    """Raise UsageError when the agent cannot be used as it is named: before anything is started."""
    if agent.sandbox == "bwrap":
        require_sandbox()
    open_agent(agent.use, agent_settings(agent, plan_folder))
