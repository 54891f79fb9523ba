"""Reviews as text: a line each in a unit, and the findings themselves for who may read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, TypedDict

from unlost.app.findings import ReviewShown
from unlost.cli.palette import Palette
from unlost.cli.render.amounts import count
from unlost.facts.quoting import JsonName, clean, path_from_json, path_json, path_text
from unlost.publish.findings import findings_json, path_of

_MOST_PATHS: Final = 5


class ReviewRow(TypedDict):
    """One review in a unit's document."""

    number: int
    by: str | None
    result: str
    failure: str | None
    errors: int
    warnings: int
    notes: int
    files: Sequence[JsonName]


class ReviewPart(TypedDict):
    """`review` in `unlost.unit/1`."""

    state: str
    rounds: int
    reviews: Sequence[ReviewRow]
    discarded: int


def review_lines(review: ReviewPart, palette: Palette) -> Iterator[str]:
    """`review    1 error, 2 warnings in src/a.py`; one line a review, and where the step stands while none is done."""
    if not review["reviews"]:
        yield f"{palette.faint('review')}    {review['state']}"
    for row in review["reviews"]:
        dress = palette.good if row["result"] == "clean" else palette.warning
        yield f"{dress('review')}    {review_told(row)}"
    if review["discarded"]:
        yield f"{palette.warning('review')}    {count(review['discarded'], 'path')} written while reading, discarded"


def review_told(row: ReviewRow) -> str:
    """What one review came to, in a line."""
    who = f" by {clean(row['by'], one_line=True)}" if row["by"] else ""
    if row["result"] == "failed":
        return f"came to nothing{who}: {(row['failure'] or '').replace('_', ' ')}"
    counts = ((row["errors"], "error"), (row["warnings"], "warning"), (row["notes"], "note"))
    told = ", ".join(count(number, word) for number, word in counts if number) or "nothing found"
    names = [path_text(path_from_json(name)) for name in row["files"]]
    more = f" and {len(names) - _MOST_PATHS} more" if len(names) > _MOST_PATHS else ""
    where = f" in {', '.join(names[:_MOST_PATHS])}{more}" if names else ""
    return f"{told}{where}{who}"


def review_document(shown: ReviewShown) -> dict[str, Any]:
    """`unlost.review/1`: every review's counts, and with the right the newest findings."""
    document: dict[str, Any] = {
        "schema": "unlost.review/1",
        "unit": shown.unit,
        "rounds": len(shown.record.repairs),
        "reviews": [row_of(shown, index) for index in range(len(shown.record.settled))],
    }
    if shown.findings is None:
        return document
    return {**document, "findings": findings_json(shown.findings)["findings"], "disputed": shown.disputed}


def row_of(shown: ReviewShown, index: int) -> ReviewRow:
    """One review as a row."""
    settled = shown.record.settled[index].settled
    return ReviewRow(
        number=settled.number,
        by=settled.by,
        result=settled.result,
        failure=settled.failure,
        errors=settled.errors,
        warnings=settled.warnings,
        notes=settled.notes,
        files=[path_json(path) for path in settled.files],
    )


def review_text(shown: ReviewShown, palette: Palette) -> str:
    """The reviews, and with the right what the newest one found."""
    rows = [row_of(shown, index) for index in range(len(shown.record.settled))]
    lines = [f"{palette.faint(shown.unit)}"]
    lines += [f"review {row['number']}  {review_told(row)}" for row in rows]
    if shown.findings is None:
        lines.append(palette.faint("          --body prints what was found"))
        return "\n".join(lines)
    for finding in shown.findings.findings:
        dress = palette.loss if finding.severity == "error" else palette.warning
        lines.append(f"{dress(finding.severity)}  {path_of(finding)}")
        lines += [f"    {line}" for text in (finding.what, finding.why) for line in clean(text).split("\n")]
    if shown.disputed is not None:
        lines.append("the repair changed nothing, and says:")
        lines += [f"    {line}" for line in clean(shown.disputed).split("\n")]
    return "\n".join(lines)
