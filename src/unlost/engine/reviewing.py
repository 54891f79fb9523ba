"""The review step: opened on a proven tree, read apart, its findings stored, a coding round made of them."""

from __future__ import annotations

from typing import Final

from unlost.engine.readers import (
    Reading,
    have_read,
    key_of,
    record_end,
    reviewer_of,
    settle_findings,
    settled_review,
    stored_findings,
)
from unlost.engine.step import Step, passed
from unlost.facts.patterns import has_wildcard
from unlost.publish.findings import Findings, canonical_findings
from unlost.research.facts import Brief
from unlost.research.reading import stored_brief
from unlost.unit import actions
from unlost.unit.review import OpenReview
from unlost.unit.review_events import RepairOpened

_UNIT: Final = "The work of this unit: what stood here before it, against what stands here now. The paths that differ:"
_BRANCH: Final = (
    "The branch as it stands here, what is not committed included, against commit {commit}{left}. The paths that "
    "differ:"
)


def run_review(step: Step, action: actions.RunReview) -> None:
    """Have the proven tree read by a reviewer; with nothing to read, the review is clean and nothing is paid."""
    reading = _reading(step)
    if reading.difference.paths:
        have_read(step, action.number, reading, step.hands.reviews.run)
        return
    settled = settled_review(action.number, reading.tree, Findings(), by=None)
    said = (f"{key_of(action.number)} settled", settled, canonical_findings(Findings()))
    step.record(said, point="review.settled")


def settle_review(step: Step, action: actions.SettleReview) -> None:
    """Find out how a reviewer ended whose supervisor died, and record it; no other one is started for that."""
    opened = _open(step).opened
    agent = reviewer_of(step.stream.plan)
    investigated = step.hands.reviews.settle(opened.identity, agent, opened.tree)
    passed("review.returned")
    record_end(step, action.number, investigated, settled=True)


def submit_findings(step: Step, action: actions.SubmitFindings) -> None:
    """Take what the reviewer left, once and strictly."""
    running = _open(step)
    assert running.ended is not None
    opened, failed = running.opened, running.ended.failed and running.ended.reason == "exited"
    end = step.hands.reviews.settle(opened.identity, reviewer_of(step.stream.plan), opened.tree).end
    settle_findings(step, action.number, opened.tree, end.returned.findings, failed=failed)


def open_repair(step: Step, action: actions.OpenRepair) -> None:
    """Make a task of the findings: it may put back what the unit itself made in the files that they name."""
    state = step.stream.state
    assert state.review is not None
    found = next(each for each in state.review.settled if each.settled.number == action.review)
    own = set(step.hands.watch.changed(state.base_tree, state.tree_now))
    theirs = set(step.hands.reviews.mine(state.boundaries[0].taken.snapshot))
    # A name with a wildcard in it would name other files, too.
    paths = tuple(
        path
        for path in found.settled.files
        if path in own - theirs and not has_wildcard(path.decode("utf-8", "surrogateescape"))
    )
    opened = RepairOpened(round=action.round, review=action.review, paths=paths)
    step.intend(f"repair {action.round} opened", opened, point="repair.opened")


def _reading(step: Step) -> Reading:
    state, plan = step.stream.state, step.stream.plan
    last = None if state.review is None else state.review.last
    earlier = None
    if last is not None and last.asks_for_work and last.revision == state.revision:
        earlier = stored_findings(step.stream, last.body)
    if "code" not in state.steps:
        work = step.hands.reviews.branch(state.last_boundary.snapshot, plan.publish.remote)
        if work is not None:
            left = "" if work.target is None else f", where it left {work.target}"
            subject = _BRANCH.format(commit=work.commit, left=left)
            return Reading(
                kind="branch", base=work.commit, tree=state.tree_now, subject=subject, difference=work.difference
            )
    difference = step.hands.reviews.difference(state.base_tree, state.tree_now)
    return Reading(
        kind="unit",
        base=state.base_tree,
        tree=state.tree_now,
        subject=_UNIT,
        difference=difference,
        brief=_brief(step),
        earlier=earlier,
    )


def _brief(step: Step) -> Brief | None:
    """The unit's research, for a reviewer as for a coder: advice, and no gate of its own."""
    record = step.stream.state.research
    return None if record is None else stored_brief(step.hands.ledger, step.stream.unit, record.standing)


def _open(step: Step) -> OpenReview:
    record = step.stream.state.review
    assert record is not None
    assert record.open is not None
    return record.open
