"""Dispatch a handoff: resume, then one attempt with exactly that prompt, between two boundaries (H.25)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from unlost.agents.protocol import AgentEvent
from unlost.agents.registry import open_agent
from unlost.app.attempts import LocalAttempts, agent_settings
from unlost.app.autosaving import Autosaving
from unlost.app.handoffs import Handoffs, Resumption
from unlost.app.plain import Workspace
from unlost.attempt.facts import AttemptEnd, Caps
from unlost.engine.ports import AttemptOrder
from unlost.facts.errors import UnlostError, UsageError, WorkLost
from unlost.facts.records import dataclass
from unlost.handoff.facts import Handoff
from unlost.host.clock import SystemClock
from unlost.host.environment import is_below_attempt
from unlost.host.ids import new_id
from unlost.plan.facts import AgentChoice
from unlost.settings import Settings

BEFORE: Final = "before a handoff's attempt"
AFTER: Final = "after a handoff's attempt"
_TASK: Final = "handoff"


@dataclass(frozen=True, kw_only=True)
class Dispatched:
    """How a dispatch ended. `end` is None when the gate stopped it; `boundaries` are the two numbers around it."""

    resumption: Resumption
    end: AttemptEnd | None = None
    boundaries: tuple[int, ...] = ()
    lost: int = 0

    @property
    def exit_code(self) -> int:
        """As `run`: 3 at the gate, 4 when work was lost, 1 when the agent ended badly, else 0."""
        if self.end is None:
            return self.resumption.exit_code
        if self.lost:
            return WorkLost.exit_code
        well = self.end.reason == "exited" and self.end.error is None
        return 0 if well else UnlostError.exit_code


def dispatch(
    target: str,
    settings: Settings,
    handoff: Handoff,
    choose: Callable[[], AgentChoice],
    *,
    folder: str,
    bring_back: bool,
    listen: Callable[[AgentEvent], None],
) -> Dispatched:
    """Resume a handoff and give its prompt to one attempt of an agent in this tree.

    `folder` is what a script's relative path starts from. The gate comes first: where it stops, nothing about the
    agent is looked at, so `choose` is called behind it. Raises UsageError for an agent that cannot be used, TryLater
    when another attempt runs here; then nothing was started.
    """
    if is_below_attempt():
        raise UsageError(
            "a handoff cannot be dispatched from inside an attempt; nothing was started",
            hint="write your own handoff to UNLOST_OUTBOX and end",
        )
    with Handoffs.open(target, settings) as handoffs:
        resumption = handoffs.resume(handoff, bring_back=bring_back)
    if resumption.prompt is None:
        return Dispatched(resumption=resumption)
    agent = choose()
    open_agent(agent.use, agent_settings(agent, folder))
    with Workspace.open(target, settings) as workspace:
        before = workspace.mark(BEFORE)
        clock = SystemClock()
        archive = workspace.place.boundaries.archive
        attempts = LocalAttempts(
            root=workspace.found.root,
            workspace_folder=workspace.place.folder,
            plan_folder=folder,
            clock=clock,
            autosaving=Autosaving(archive=archive, longest=workspace.place.rules.autosave, clock=clock),
        )
        order = AttemptOrder(
            identity=new_id("a"),
            unit="",
            task=_TASK,
            number=1,
            prompt=resumption.prompt.encode("utf-8"),
            agent=agent,
            caps=Caps(),
        )
        end = attempts.run(order, listen, lambda: False)
        after = workspace.mark(AFTER)
    return Dispatched(resumption=resumption, end=end, boundaries=(before.boundary, after.boundary), lost=after.lost)
