"""Any Markdown with boxes to tick: each outermost box is an entry, in the order of the text."""

from __future__ import annotations

from unlost.plan.importers.boxes import Box, boxes_of, prose_before, title_of
from unlost.plan.importers.facts import Entry, Foreign, Source


def recognises(source: Source) -> bool:
    """At least one box outside of fences."""
    return next(boxes_of(source.lines), None) is not None


def read(source: Source) -> Foreign:
    """Each box as an entry; what is indented below it, sub-tasks with their ticks, is its text."""
    boxes = tuple(boxes_of(source.lines))
    return Foreign(
        title=title_of(source.lines),
        goal=prose_before(source.lines, boxes[0].line),
        entries=tuple(entry_of(box) for box in boxes),
    )


def entry_of(box: Box) -> Entry:
    """The entry of a box; the headings above it, but for that of the whole text, say where it belongs."""
    section = " / ".join(box.headings[1:] if len(box.headings) > 1 else ())
    parts = [f"(from the section {section})" if section else "", box.below]
    text = "\n\n".join(part for part in parts if part)
    return Entry(id="", title=box.title, line=box.line, text=text, done=box.ticked)
