"""The chapters of review and repair: counts and files, never a word of what was found. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.unit import review_events as review
from unlost.unit.story_words import Told, counted, named, words


def _ended(event: review.ReviewEnded) -> Told | None:
    if event.discarded_count:
        return "review", f"review {event.number} wrote while it read; discarded: {named(event.discarded)}"
    if event.reason == "exited" and not event.failed:
        return None
    return "review", f"review {event.number} ended: {words(event.reason)}"


def _settled(event: review.ReviewSettled) -> Told:
    who = f" by {event.by}" if event.by is not None else ""
    if event.result == "failed":
        return "review", f"review {event.number}{who} came to nothing: {words(event.failure)}"
    counts = ((event.errors, "error"), (event.warnings, "warning"), (event.notes, "note"))
    told = ", ".join(counted(number, word) for number, word in counts if number) or "nothing found"
    where = f" in {named(event.files)}" if event.files else ""
    return "review", f"review {event.number}{who}: {told}{where}"


def _repair(event: review.RepairOpened) -> Told:
    return "repair", f"round {event.round} is to settle the findings of review {event.review}"


TELL: Final[Mapping[type, Callable[[Any], Told | None]]] = {
    review.ReviewEnded: _ended,
    review.ReviewSettled: _settled,
    review.RepairOpened: _repair,
}
