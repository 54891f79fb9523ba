"""Implementation plans of superpowers: sections `Task 1: …`, each with its files and its steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from unlost.plan.fences import Line
from unlost.plan.importers.boxes import boxes_of, heading_of, prose_before, title_of
from unlost.plan.importers.facts import Entry, Foreign, Source

_TASK: Final = re.compile(r"Task[ \t]+(\d+[a-z]?)[ \t]*[:.—–-][ \t]*(\S.*)$")
_FOR_AGENTS: Final = re.compile(r"REQUIRED SUB-SKILL|superpowers:")
_HEADS: Final = re.compile(r"\*\*(?:Files|Step 1|Goal|Architecture)\b")
_SUFFIX: Final = "Implementation Plan"


def recognises(source: Source) -> bool:
    """Headings `Task N: …`, and the sentence for agents at the top or the bold heads of its sections."""
    if not any(_task(line) for line in source.lines):
        return False
    prose = [line.text for line in source.lines if line.fence is None]
    return any(_FOR_AGENTS.search(text) or _HEADS.match(text) for text in prose)


def read(source: Source) -> Foreign:
    """Each section as one entry, its steps in it: a section whose steps are all ticked is said to be done."""
    lines = source.lines
    starts = [at for at, line in enumerate(lines) if _task(line)]
    # What stands above is for the people and agents of another tool, but for what is to be built and how.
    goal = "\n".join(
        text for text in prose_before(lines, lines[starts[0]].number).split("\n") if not _FOR_AGENTS.search(text)
    )
    return Foreign(
        title=title_of(lines).removesuffix(_SUFFIX).strip(" -—–") or title_of(lines),
        goal=goal.strip(),
        entries=tuple(_entry(lines[start : _end(lines, start)]) for start in starts),
    )


def _task(line: Line) -> re.Match[str] | None:
    heading = heading_of(line)
    return None if heading is None or heading[0] == 1 else _TASK.match(heading[1])


def _end(lines: Sequence[Line], start: int) -> int:
    """Where a section ends: at the next heading of its level or above."""
    level = (heading_of(lines[start]) or (1, ""))[0]
    for at in range(start + 1, len(lines)):
        heading = heading_of(lines[at])
        if heading is not None and heading[0] <= level:
            return at
    return len(lines)


def _entry(section: Sequence[Line]) -> Entry:
    found = _task(section[0])
    assert found is not None, "sections begin where a task was found"
    boxes = tuple(boxes_of(section))
    text = "\n".join(line.text for line in section[1:]).strip().removesuffix("---").rstrip()
    return Entry(
        id=f"task-{found.group(1)}",
        title=found.group(2).strip(),
        line=section[0].number,
        text=text,
        done=bool(boxes) and all(box.ticked for box in boxes),
    )
