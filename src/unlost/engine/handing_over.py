"""What an attempt hands over: taken, verified before the next one is paid for, brought back, told (H.3, H.27)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from unlost.engine.step import Step, passed
from unlost.facts.quoting import canonical_json, cut
from unlost.handoff.derive import Ended
from unlost.handoff.facts import FailingTest, Handoff, handoff_json
from unlost.handoff.origin import Origin
from unlost.handoff.report import FileState, LossReport
from unlost.handoff.schema import load_handoff
from unlost.unit import actions
from unlost.unit.facts import AttemptRecord, UnitState
from unlost.unit.handoff import HandoffRecord
from unlost.unit.handoff_events import HandoffRestored, HandoffRestoreIntended, HandoffTaken, HandoffVerified
from unlost.unit.proof import MAXIMUM_NAMED

_OBSERVED_LIMIT: Final = 4_000
_BACK: Final[frozenset[FileState]] = frozenset({"applied", "untracked_survivors"})
_GONE: Final[frozenset[FileState]] = frozenset({"lost", "missing_new_files"})


def verify_handoff(step: Step, action: actions.VerifyHandoff) -> None:
    """Record what became of an attempt's handoff in the tree as it was captured last; take it the first time."""
    attempt = _attempt(step.stream.state, action.task, action.attempt)
    key = f"attempt {action.task} {action.attempt} handoff"
    said: list[tuple[str, object, bytes | None]] = []
    if attempt.handoff is None:
        origin = _origin(step, attempt)
        handoff, looks = origin.handoff, 0
        taken = HandoffTaken(
            task=action.task, attempt=action.attempt, source=origin.source, refused=len(origin.refused)
        )
        said.append((f"{key} taken", taken, canonical_json(handoff_json(handoff))))
    else:
        handoff, looks = kept_handoff(step, attempt.handoff), attempt.handoff.looks
    verified = _verified(step, action, step.hands.handoffs.verify(handoff))
    said.append((f"{key} verified {looks + 1}", verified, None))
    step.record(*said, point="handoff.verified")


def bring_back(step: Step, action: actions.BringBack) -> None:
    """Put work back; an interrupted try is made again, and what is back is found out by looking."""
    record = _attempt(step.stream.state, action.task, action.attempt).handoff
    assert record is not None
    key = f"attempt {action.task} {action.attempt} handoff restore {record.tries + 1}"
    if record.restoring is None:
        intended = HandoffRestoreIntended(task=action.task, attempt=action.attempt, paths=action.paths)
        step.intend(f"{key} intended", intended, point="handoff.restore_intended")
    handoff = kept_handoff(step, record)
    brought = step.hands.handoffs.bring_back(handoff)
    passed("handoff.returned")
    report = step.hands.handoffs.verify(handoff)
    back = tuple(path for path in action.paths if report.file(path).state in _BACK)
    restored = HandoffRestored(
        task=action.task,
        attempt=action.attempt,
        restored=back,
        left=tuple(path for path in action.paths if path not in back),
        kept=brought.kept,
    )
    step.record((f"{key} done", restored, None), point="handoff.restored")


def kept_handoff(step: Step, record: HandoffRecord) -> Handoff:
    """The handoff that is on record."""
    return load_handoff(step.stream.body(record.body))


def _origin(step: Step, attempt: AttemptRecord) -> Origin:
    """The file that the attempt left, else what its two captured trees say."""
    assert attempt.judged is not None
    left = step.stream.remains(attempt.ended_at).get("handoff")
    return step.hands.handoffs.of_attempt(
        None if left is None else str(left).encode("utf-8", "surrogateescape"),
        _ended(step, attempt),
        opening=attempt.intended.tree,
        closing=attempt.judged.tree,
    )


def _ended(step: Step, attempt: AttemptRecord) -> Ended:
    """What the record knows of an ended attempt: its cap, the checks that failed, the tasks that are open."""
    assert attempt.ended is not None
    state = step.stream.state
    later = [task.id for task in state.tasks if not task.settled and task.id != attempt.task]
    steps = [f"finish the task {attempt.task}"]
    if later:
        steps.append(f"left for attempts of their own, not for this one: {', '.join(later)}")
    return Ended(
        task=attempt.task,
        iteration_cap=state.terms.turns if attempt.ended.reason == "turns" else 0,
        failing_tests=tuple(_failing_tests(step, attempt)),
        remaining_steps=tuple(steps),
    )


def _failing_tests(step: Step, attempt: AttemptRecord) -> Iterable[FailingTest]:
    for check in attempt.checks:
        if not check.ended.passed:
            end = "ran out of time" if check.ended.timed_out else f"exit code {check.ended.exit_code}"
            output = cut(step.stream.body(check.output).decode("utf-8", "replace"), _OBSERVED_LIMIT)
            yield FailingTest(test=check.ended.name, expected="exit code 0", observed=f"{end}\n{output}".strip())


def _verified(step: Step, action: actions.VerifyHandoff, report: LossReport) -> HandoffVerified:
    lost = tuple(found.path for found in report.files if found.state in _GONE)
    return HandoffVerified(
        task=action.task,
        attempt=action.attempt,
        tree=step.stream.state.tree_now,
        recoverable=report.recoverable_files[:MAXIMUM_NAMED],
        recoverable_count=len(report.recoverable_files),
        lost=lost[:MAXIMUM_NAMED],
        lost_count=len(lost),
    )


def _attempt(state: UnitState, task: str, number: int) -> AttemptRecord:
    return next(attempt for attempt in state.task(task).attempts if attempt.number == number)
