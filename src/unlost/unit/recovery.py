"""What keeps a unit from being recovered: a record that is not whole proves nothing (R.45 to R.50). Pure."""

from __future__ import annotations

from collections.abc import Iterator

from unlost.unit.facts import UnitState


def recovery_faults(state: UnitState) -> tuple[str, ...]:
    """Everything that is missing from the record, in words; empty when the next revision may build on it.

    Nothing is guessed: an effect without an outcome, work whose repository nobody noted, or a price that nobody knows
    under a cap give no credit.
    """
    return tuple(_faults(state))


def _faults(state: UnitState) -> Iterator[str]:
    for task in state.tasks:
        yield from (
            f"attempt {attempt.number} of {task.id} is not accounted for"
            for attempt in task.attempts
            if attempt.ended is None
        )
    if state.review is not None and state.review.open is not None and state.review.open.ended is None:
        yield "its reviewer is not accounted for"
    if state.commits.open is not None:
        yield "nobody knows whether its newest commit stands"
    if state.publishing.open is not None:
        yield "nobody knows what its newest push came to"
    if state.origin.noted is None and (state.origin.receipts or "publish" in state.steps):
        yield "the repository that it was admitted in is not on record"
    if state.terms.cost_usd is not None and state.spent.unpriced:
        yield "a price is unknown"
