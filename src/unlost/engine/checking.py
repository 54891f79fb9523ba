"""Boundaries and checks: what proves the tree, and what runs over it."""

from __future__ import annotations

from typing import Final

from unlost.engine.ports import Captured
from unlost.engine.step import Step, passed
from unlost.facts.quoting import cut
from unlost.unit import actions, attempt_events
from unlost.unit.proof import MAXIMUM_NAMED

_OUTPUT_LIMIT: Final = 256 * 1024


def take_boundary(step: Step, action: actions.TakeBoundary) -> None:
    """Capture, judge and record a boundary; with `judged`, record what was captured and judged before."""
    plan = step.stream.plan
    task = None if action.task is None else plan.task(action.task)
    attempt = step.stream.state.open_attempt if action.judged else None
    if attempt is not None and attempt.judged is not None:
        captured = Captured(snapshot=attempt.judged.snapshot, tree=attempt.judged.tree)
        proof = attempt.judged.proof
    else:
        captured = step.hands.watch.capture(step.stream.unit)
        passed("boundary.captured")
        proof = step.hands.watch.judge(captured, plan, task)
    taken = step.boundary(action.kind, captured, proof, task=task, attempt=action.attempt)
    passed("boundary.recorded")
    step.record(taken, point="boundary.taken")


def run_check(step: Step, action: actions.RunCheck) -> None:
    """Run one check, capture what it left, record both. A check that was interrupted runs again."""
    state = step.stream.state
    where = "plan" if action.task is None else f"{action.task} {action.attempt}"
    key = f"check {where} r{state.revision}.{action.round} {action.check.name}"
    intended = attempt_events.CheckIntended(
        name=action.check.name, task=action.task, attempt=action.attempt, round=action.round
    )
    (intent,) = step.record((f"{key} intended", intended, None), point="check.intended")
    # Named after its intent: asked again after a crash, it is the same run, and what is left of it is stopped first.
    identity = f"{state.unit}-check-{intent.sequence}"
    outcome = step.hands.checks.run(action.check, identity, base=state.base_tree, tree=state.tree_now)
    passed("check.returned")
    captured = step.hands.watch.capture(state.unit)
    ended = attempt_events.CheckEnded(
        name=action.check.name,
        task=action.task,
        attempt=action.attempt,
        round=action.round,
        passed=outcome.passed,
        exit_code=outcome.exit_code,
        timed_out=outcome.timed_out,
        seconds=outcome.seconds,
        snapshot=captured.snapshot,
        tree=captured.tree,
        definitions=outcome.definitions,
        redefined=outcome.redefined[:MAXIMUM_NAMED],
    )
    output = cut(step.hands.redact(outcome.output.decode("utf-8", "replace")), _OUTPUT_LIMIT)
    step.record((f"{key} ended", ended, output.encode()), point="check.recorded")
