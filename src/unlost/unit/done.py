"""When an attempt is done, and when a task is given up (design.md section 3, G.20): pure, over records alone."""

from __future__ import annotations

from typing import Final, Literal

from unlost.facts.words import ReportOutcome
from unlost.plan.facts import Check, Task
from unlost.unit.facts import AttemptRecord, TaskRecord
from unlost.unit.review import is_repair
from unlost.unit.terms import AttemptResult

GiveUp = Literal["no_progress", "attempts"]
_ASKS: Final[frozenset[ReportOutcome | None]] = frozenset({"blocked", "scope_change"})


def next_check(task: Task, attempt: AttemptRecord) -> Check | None:
    """The task's next check to run on the tree of an ended attempt; None when none is left or none can matter.

    An attempt that ended in an error, or asks for a person, is not done whatever its checks say: they are not run.
    """
    if not attempt.well or (attempt.ended is not None and attempt.ended.outcome in _ASKS):
        return None
    ran = len(attempt.checks)
    return task.checks[ran] if ran < len(task.checks) else None


def result_of(task: Task, record: TaskRecord, attempt: AttemptRecord) -> AttemptResult:
    """What a judged and checked attempt came to.

    The verdict on its tree holds no loss when this is asked, and no check of it waits for a person.
    """
    assert attempt.ended is not None
    assert attempt.judged is not None
    assert record.opened is not None
    if attempt.ended.outcome in _ASKS:
        return "asked"
    passed = len(attempt.checks) == len(task.checks) and all(check.ended.passed for check in attempt.checks)
    if not attempt.well or not passed:
        return "not_done"
    if attempt.judged.tree != record.opened.tree:
        return "done"
    if attempt.ended.outcome == "no_change" and attempt.ended.reasoned and task.checks:
        return "no_change"
    return "unchanged"


def give_up(record: TaskRecord, *, revision: int, attempts: int) -> GiveUp | None:
    """Why no further attempt of a task is paid for; None when one may be.

    Attempts that a stop, kill or crash of ours or a provider's limit ended say nothing about the agent: they count
    neither towards the cap nor as one of two in a row. A revision counts anew.
    """
    told = [attempt for attempt in record.attempts if attempt.intended.revision == revision and not attempt.excused]
    if told and is_repair(record.id) and _disputes(told[-1]):
        return "no_progress"
    trees = [attempt.judged.tree for attempt in told if attempt.judged is not None]
    if len(trees) >= 2 and trees[-1] == trees[-2]:
        return "no_progress"
    return "attempts" if len(told) >= attempts else None


def _disputes(attempt: AttemptRecord) -> bool:
    """Whether a repair left all as it was and says why: then a person has to say who is right."""
    ended = attempt.ended
    return attempt.result == "unchanged" and ended is not None and ended.outcome == "no_change" and ended.reasoned
