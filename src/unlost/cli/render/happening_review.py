"""What happens in a unit's review while it happens, one line an event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from unlost.cli.palette import Palette
from unlost.cli.render.amounts import count
from unlost.cli.render.review import ReviewRow, review_told
from unlost.cli.render.row import named_paths, row
from unlost.facts.quoting import path_json
from unlost.unit import review_events as review


def _opened(event: review.ReviewOpened, palette: Palette) -> str:
    return row("review", f"reads the {event.kind}  {palette.faint(f'review {event.number}')}", palette.strong)


def _ended(event: review.ReviewEnded, palette: Palette) -> str | None:
    if event.discarded_count:
        return row("review", f"wrote while reading, discarded: {named_paths(event.discarded)}", palette.warning)
    if event.reason == "exited" and not event.failed:
        return None
    return row("review", f"ended: {event.reason.replace('_', ' ')}", palette.warning)


def _settled(event: review.ReviewSettled, palette: Palette) -> str:
    found = ReviewRow(
        number=event.number,
        by=event.by,
        result=event.result,
        failure=event.failure,
        errors=event.errors,
        warnings=event.warnings,
        notes=event.notes,
        files=[path_json(path) for path in event.files],
    )
    return row("review", review_told(found), palette.good if event.result == "clean" else palette.warning)


def _repair(event: review.RepairOpened, palette: Palette) -> str:
    told = f"round {event.round} settles the findings of review {event.review}"
    return row("repair", f"{told}  {palette.faint(count(len(event.paths), 'file'))}", palette.strong)


LINES: Final[Mapping[type, Callable[[Any, Palette], str | None]]] = {
    review.ReviewOpened: _opened,
    review.ReviewEnded: _ended,
    review.ReviewSettled: _settled,
    review.RepairOpened: _repair,
}
