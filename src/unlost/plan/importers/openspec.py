"""The `tasks.md` of an OpenSpec change: numbered sections, and boxes numbered `1.1` below them."""

from __future__ import annotations

import re
from typing import Final

from unlost.facts.records import replace
from unlost.plan.importers.boxes import Box, boxes_of, heading_of, prose_before, title_of
from unlost.plan.importers.checklist import entry_of
from unlost.plan.importers.facts import Entry, Foreign, Source

_SECTION: Final = re.compile(r"\d+\.[ \t]+\S")
_NUMBERED: Final = re.compile(r"(?:\*\*)?(\d+(?:\.\d+)+)\.?(?:\*\*)?[ \t]+(\S.*)$")


def recognises(source: Source) -> bool:
    """A heading like `## 1. Setup`, and a first box that is numbered like `1.1`."""
    first = next(boxes_of(source.lines), None)
    if first is None or _NUMBERED.match(first.title) is None:
        return False
    headings = (heading_of(line) for line in source.lines)
    return any(heading is not None and _SECTION.match(heading[1]) for heading in headings)


def read(source: Source) -> Foreign:
    """Each numbered box as an entry, in the order of the text."""
    boxes = tuple(boxes_of(source.lines))
    return Foreign(
        title=title_of(source.lines).removeprefix("Tasks:").strip(),
        goal=prose_before(source.lines, boxes[0].line),
        entries=tuple(_entry(box) for box in boxes),
    )


def _entry(box: Box) -> Entry:
    section = box.headings[-1] if box.headings else ""
    parts = [f"(from the section {section})" if section else "", box.below]
    entry = replace(entry_of(box), text="\n\n".join(part for part in parts if part))
    numbered = _NUMBERED.match(box.title)
    return entry if numbered is None else replace(entry, id=numbered.group(1), title=numbered.group(2))
