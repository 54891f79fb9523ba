"""The loop of every unit: fold, decide, do. It can be read in one sitting, killed anywhere and started again."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Final

from unlost.engine import (
    attempting,
    checking,
    committing,
    handing_over,
    limits,
    publishing,
    researching,
    reviewing,
    waiting,
)
from unlost.engine.ports import Hands
from unlost.engine.step import Step
from unlost.engine.stream import UnitStream
from unlost.facts.errors import Interrupted
from unlost.ledger.protocol import StreamMoved
from unlost.plan.facts import Plan
from unlost.unit import actions
from unlost.unit.decide import decide
from unlost.unit.facts import UnitState

_DOERS: Final[dict[type, Callable[[Step, Any], None]]] = {
    actions.TakeBoundary: checking.take_boundary,
    actions.RunResearch: researching.run_research,
    actions.SettleResearch: researching.settle_research,
    actions.SubmitBrief: researching.submit_brief,
    actions.AskAboutBrief: researching.ask_about_brief,
    actions.RunReview: reviewing.run_review,
    actions.SettleReview: reviewing.settle_review,
    actions.SubmitFindings: reviewing.submit_findings,
    actions.OpenRepair: reviewing.open_repair,
    actions.RunAttempt: attempting.run_attempt,
    actions.SettleAttempt: attempting.settle_attempt,
    actions.JudgeAttempt: attempting.judge_attempt,
    actions.RunCheck: checking.run_check,
    actions.CloseAttempt: attempting.close_attempt,
    actions.VerifyHandoff: handing_over.verify_handoff,
    actions.BringBack: handing_over.bring_back,
    actions.FailTask: waiting.fail_task,
    actions.RestoreLost: waiting.restore_lost,
    actions.CommitWork: committing.commit_work,
    actions.SettleCommit: committing.settle_commit,
    actions.VerifyCommits: committing.verify_commits,
    actions.Publish: publishing.publish,
    actions.SettlePush: publishing.settle_push,
    actions.KeepRequest: publishing.keep_request,
    actions.AskPerson: waiting.ask_person,
    actions.Block: waiting.block,
    actions.Pause: waiting.pause,
    actions.AwaitReset: limits.await_reset,
    actions.Finish: waiting.finish,
}
_PROOFS: Final = (actions.JudgeAttempt, actions.TakeBoundary)


def advance(stream: UnitStream, hands: Hands) -> UnitState:
    """Carry a unit on until it is over or waits, and return its state.

    Every effect has its intent before it and its outcome after it in the ledger. Raises TryLater when the workspace
    is held by somebody else, Interrupted when the person pressed Ctrl-C (what the agent left is proven first, G.18);
    in both cases calling it again goes on.
    """
    try:
        while _step(stream, hands):
            pass
    except Interrupted:
        prove(stream, hands)
        raise
    return stream.state


def prove(stream: UnitStream, hands: Hands) -> UnitState:
    """Only find out what stands now: settle nothing, start nothing, pay for nothing."""
    while _step(stream, hands, only=_PROOFS):
        pass
    return stream.state


def carry_out(
    stream: UnitStream, hands: Hands, wanted: Callable[[UnitState, Plan], actions.Action | None]
) -> actions.Block | None:
    """Do what is wanted until nothing is. A wait for a person is not recorded but returned; None when all is done."""
    while True:
        action = wanted(stream.read() or stream.state, stream.plan)
        if action is None or isinstance(action, actions.Block):
            return action
        with contextlib.suppress(StreamMoved):
            _DOERS[type(action)](Step(stream=stream, hands=hands), action)


def _step(stream: UnitStream, hands: Hands, *, only: tuple[type, ...] | None = None) -> bool:
    """Do the next action; False when there is none, or none of the kinds that are wanted."""
    action = decide(stream.state, stream.plan, hands.clock.now())
    if isinstance(action, actions.Rest) or (only is not None and not isinstance(action, only)):
        return False
    # Somebody, a person who stops or answers, said something since: nothing was done, decide again.
    with contextlib.suppress(StreamMoved):
        _DOERS[type(action)](Step(stream=stream, hands=hands), action)
    stream.read()
    return True
