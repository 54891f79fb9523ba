"""The delta review of maintenance: what a rebase came to, read before it is published; it permits no coding (R.64)."""

from __future__ import annotations

from typing import Final

from unlost.engine.readers import Reading, have_read, record_end, reviewer_of, settle_findings
from unlost.engine.step import Step, passed
from unlost.unit.maintenance import MaintenanceAction
from unlost.unit.review import OpenReview

_DELTA: Final = (
    "The finished work of this unit, which was reviewed before, has been put onto {target}, which moved from {base} to "
    "{onto}. Below is the work as it now stands against that commit. Judge what the move changed: does the work still "
    "fit what is there now? The paths that differ:"
)


def run_review(step: Step, action: MaintenanceAction) -> None:
    """Have the rebased work read."""
    state, opened = step.stream.state, action.opened
    assert action.tree is not None
    subject = _DELTA.format(target=opened.target, base=opened.base, onto=opened.onto)
    reading = Reading(
        kind="delta",
        base=opened.onto,
        tree=action.tree,
        subject=subject,
        difference=step.hands.maintenance.difference(opened.onto, action.tree),
    )
    number = (0 if state.review is None else state.review.number) + 1
    have_read(step, number, reading, step.hands.maintenance.read)


def settle_review(step: Step, action: MaintenanceAction) -> None:
    """Find out how a reviewer ended whose supervisor died."""
    opened = _open(step).opened
    investigated = step.hands.maintenance.settle_reading(opened.identity, reviewer_of(step.stream.plan), opened.tree)
    passed("review.returned")
    record_end(step, action.review, investigated, settled=True)


def take_findings(step: Step, action: MaintenanceAction) -> None:
    """Take what the reviewer left, once and strictly."""
    running = _open(step)
    assert running.ended is not None
    opened, failed = running.opened, running.ended.failed and running.ended.reason == "exited"
    end = step.hands.maintenance.settle_reading(opened.identity, reviewer_of(step.stream.plan), opened.tree).end
    settle_findings(step, action.review, opened.tree, end.returned.findings, failed=failed)


def _open(step: Step) -> OpenReview:
    record = step.stream.state.review
    assert record is not None
    assert record.open is not None
    return record.open
