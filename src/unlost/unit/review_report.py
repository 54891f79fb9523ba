"""A unit's reviews in its document, without a word of what was found (R.41): pure."""

from __future__ import annotations

from typing import Any

from unlost.facts.quoting import path_json
from unlost.unit.facts import UnitState
from unlost.unit.review import ReviewRecord, SettledReview


def review_part(state: UnitState) -> dict[str, Any]:
    """Where the review step stands, each review's counts and files, and the rounds that followed."""
    record = state.review or ReviewRecord()
    return {
        "state": _state(record),
        "rounds": len(record.repairs),
        "reviews": [_review(each) for each in record.settled],
        "discarded": sum(each.discarded for each in record.settled),
    }


def _state(record: ReviewRecord) -> str:
    if record.open is not None:
        return "reading"
    if record.last is None:
        return "waiting"
    return "passed" if record.passed else record.last.settled.result


def _review(review: SettledReview) -> dict[str, Any]:
    settled = review.settled
    return {
        "number": settled.number,
        "revision": review.revision,
        "by": settled.by,
        "result": settled.result,
        "failure": settled.failure,
        "errors": settled.errors,
        "warnings": settled.warnings,
        "notes": settled.notes,
        "files": [path_json(path) for path in settled.files],
        "digest": settled.digest,
    }
