"""The lines of a Markdown text, each with the code fence it stands in (CommonMark 0.31, section 4.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from unlost.facts.records import dataclass

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line: `number` counts from 1; `fence` is the first word after the opening fence, None outside of one."""

    number: int
    text: str
    fence: str | None = None
    edge: Literal["opens", "closes", "none"] = "none"


@dataclass(frozen=True, kw_only=True)
class Fenced:
    """The text between two fences; `line` is the number of the opening one."""

    line: int
    text: str


def lines_of(text: str) -> Iterator[Line]:
    """Every line of the text. A fence that is never closed reaches to the end."""
    opened, info = "", ""
    for number, line in enumerate(text.split("\n"), start=1):
        fence = _FENCE.match(line)
        if opened:
            closes = fence is not None and fence.group(1).startswith(opened) and not fence.group(2).strip()
            yield Line(number=number, text=line, fence=info, edge="closes" if closes else "none")
            opened = "" if closes else opened
        elif fence:
            opened, info = fence.group(1), _first_word(fence.group(2))
            yield Line(number=number, text=line, fence=info, edge="opens")
        else:
            yield Line(number=number, text=line)


def fenced(lines: Sequence[Line], info: str) -> tuple[Fenced, ...]:
    """The fenced texts of this info word among the lines, in order."""
    blocks: list[tuple[int, list[str]]] = []
    for line in lines:
        if line.fence != info:
            continue
        if line.edge == "opens":
            blocks.append((line.number, []))
        elif line.edge == "none":
            blocks[-1][1].append(line.text)
    return tuple(Fenced(line=number, text="\n".join(texts)) for number, texts in blocks)


def never_closed(lines: Sequence[Line]) -> int | None:
    """The number of the opening fence that swallows the rest of the text, or None."""
    last = next((line for line in reversed(lines) if line.edge != "none"), None)
    return last.number if last is not None and last.edge == "opens" else None


def _first_word(text: str) -> str:
    return text.split(maxsplit=1)[0].lower() if text.split() else ""
