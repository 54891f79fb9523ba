"""The boxes to tick of a Markdown text, each with all that is indented below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from unlost.facts.records import dataclass, field
from unlost.plan.fences import Line

_BOX: Final = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[([ xX])\][ \t]+(\S.*)$")
_BULLET: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*$")
_RULE: Final = re.compile(r" {0,3}(?:[-*_][ \t]*){3,}$")
_PLAIN: Final = re.compile(r"[^\W_]|[`(\"']")


@dataclass(frozen=True, kw_only=True)
class Box:
    """One box: what stands beside it, what is indented below it (sub-tasks, too), and the headings above it."""

    line: int
    title: str
    ticked: bool
    below: str = ""
    headings: tuple[str, ...] = ()


@dataclass
class _Open:
    """A box that lines are still added to."""

    line: int
    indent: int
    title: str
    ticked: bool
    headings: tuple[str, ...]
    below: list[str] = field(default_factory=list)

    def close(self) -> Box:
        text = _dedented(self.below)
        return Box(line=self.line, title=self.title, ticked=self.ticked, below=text, headings=self.headings)


def boxes_of(lines: Sequence[Line]) -> Iterator[Box]:
    """Every outermost box outside of fences, in order."""
    headings: list[tuple[int, str]] = []
    held: _Open | None = None
    after_blank = False
    for line in lines:
        box = _BOX.match(line.text) if line.fence is None else None
        indent = _indent(line.text)
        if box is not None and not (held is not None and indent > held.indent):
            if held is not None:
                yield held.close()
            held = _Open(line.number, indent, box.group(3).strip(), box.group(2) != " ", tuple(t for _, t in headings))
        elif held is not None and _belongs(line, held, indent, after_blank=after_blank):
            held.below.append(line.text)
        else:
            if held is not None:
                yield held.close()
                held = None
            heading = heading_of(line)
            if heading is not None:
                headings = [known for known in headings if known[0] < heading[0]] + [heading]
        after_blank = not line.text.strip()
    if held is not None:
        yield held.close()


def heading_of(line: Line) -> tuple[int, str] | None:
    """The level and the text of a heading; None for any other line."""
    match = _HEADING.match(line.text) if line.fence is None else None
    return None if match is None else (len(match.group(1)), match.group(2).strip())


def prose_before(lines: Sequence[Line], end: int) -> str:
    """The text of the lines above a line number, without headings, rules and comments."""
    kept = [
        line.text
        for line in lines
        if line.number < end and heading_of(line) is None and not _RULE.match(line.text) and "<!--" not in line.text
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def title_of(lines: Sequence[Line]) -> str:
    """The first heading of the first level; empty when there is none."""
    return next((found[1] for found in map(heading_of, lines) if found is not None and found[0] == 1), "")


def _belongs(line: Line, held: _Open, indent: int, *, after_blank: bool) -> bool:
    """Whether a line goes on with an open box: indented below it, blank, or its paragraph carried on lazily."""
    if not line.text.strip() or indent > held.indent:
        return True
    is_block = line.fence is not None or _BULLET.match(line.text) or heading_of(line) is not None
    return not (after_blank or is_block) and _PLAIN.match(line.text.strip()) is not None


def _indent(text: str) -> int:
    bare = text.expandtabs(4)
    return len(bare) - len(bare.lstrip(" "))


def _dedented(lines: Sequence[str]) -> str:
    """The lines without the indentation that all of them have; text that was carried on lazily has none."""
    wide = [line.expandtabs(4).rstrip() for line in lines]
    least = min((_indent(line) for line in wide if line and _indent(line)), default=0)
    return "\n".join(line[least:] if _indent(line) else line for line in wide).strip("\n")
