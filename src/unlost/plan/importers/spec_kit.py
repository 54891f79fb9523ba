"""spec-kit's `tasks.md`: boxes numbered `T001`, marked `[P]` and `[US1]`, in phases one after another."""

from __future__ import annotations

import re
from typing import Final

from unlost.facts.records import replace
from unlost.plan.importers.boxes import Box, boxes_of, prose_before, title_of
from unlost.plan.importers.checklist import entry_of
from unlost.plan.importers.facts import Entry, Foreign, Source

_NUMBERED: Final = re.compile(r"(?:\*\*)?(T\d{3,4}[a-z]?)(?:\*\*)?:?[ \t]+(.*)$")
_MARKS: Final = re.compile(r"(?:\[(P|US\d+|[A-Z]{1,4}\d*)\][ \t]*)+")
_PREFIX: Final = "Tasks:"


def recognises(source: Source) -> bool:
    """Boxes of which the first is numbered like `T001`."""
    first = next(boxes_of(source.lines), None)
    return first is not None and _NUMBERED.match(first.title) is not None


def read(source: Source) -> Foreign:
    """Each numbered box as an entry, in the order of the text, which is the order that spec-kit carries them out in.

    `[P]` says only that two could be done at once; here one comes after another.
    """
    boxes = tuple(boxes_of(source.lines))
    title = title_of(source.lines)
    return Foreign(
        title=title.removeprefix(_PREFIX).strip(),
        goal=prose_before(source.lines, boxes[0].line),
        entries=tuple(_entry(box) for box in boxes),
    )


def _entry(box: Box) -> Entry:
    entry = entry_of(box)
    numbered = _NUMBERED.match(box.title)
    if numbered is None:
        return entry
    return replace(entry, id=numbered.group(1), title=_MARKS.sub("", numbered.group(2), count=1).strip() or box.title)
