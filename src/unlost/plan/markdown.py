"""A plan written as Markdown: a fenced `toml` head, then one `## ` section for each task.

    # Title                      the key `title`
    ```toml                      every other key of the plan
    ```
    Text                         the key `goal`
    ## Name of a task            the task's id, as a slug
    Text                         the task's `text`
    ```toml                      the task's other keys
    ```
    ### Acceptance               a list: the task's `acceptance`

What a key and the prose both say is a problem, not a choice of ours. A `## ` line inside a fence is text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from unlost.facts.errors import Problem
from unlost.facts.records import dataclass, replace
from unlost.plan.draft import Draft, KeyPath
from unlost.plan.fences import Line, fenced, lines_of, never_closed
from unlost.plan.source import read_toml

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_ACCEPTANCE: Final = re.compile(
    r" {0,3}(?:#{3,6}[ \t]+)?[*_]{0,2}acceptance(?: criteria)?:?[*_]{0,2}:?[ \t]*$", re.IGNORECASE
)
_ITEM: Final = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?(.*)$")
_CONTINUED: Final = re.compile(r"(?:  |\t)[ \t]*+(\S.*)$")
_NOT_IN_SLUG: Final = re.compile(r"[^a-z0-9]+")
_LONGEST_SLUG: Final = 60


@dataclass(frozen=True, kw_only=True)
class _Said:
    """What the prose says for a key, and in which line."""

    line: int
    value: object


def read_markdown(text: str) -> Draft:
    """The draft of a Markdown plan; faults of every part are named together."""
    lines = tuple(lines_of(text))
    head, *tasks = _sections(lines)
    draft = _head(head)
    problems = list(draft.problems)
    if (opening := never_closed(lines)) is not None:
        problems.append(Problem(line=opening, what="this fence is never closed and swallows the rest of the plan"))
    values, places = dict(draft.values or {}), dict(draft.lines)
    if "task" in values:
        what = "the tasks of a Markdown plan are its `## ` sections, not keys of its head"
        problems.append(Problem(line=places.get(("task",)), what=what))
    drafts = [_task(section) for section in tasks]
    for index, task in enumerate(drafts):
        places.update({("task", index, *path): line for path, line in task.lines.items()})
        problems.extend(task.problems)
    values["task"] = [task.values for task in drafts]
    return Draft(values=values, lines=places, problems=tuple(problems))


def has_head(text: str) -> bool:
    """Whether a ```toml fence stands above the first `## `: that makes a Markdown text a plan of unlost."""
    return bool(fenced(_sections(tuple(lines_of(text)))[0], "toml"))


def slug(title: str) -> str:
    """An id made from a title: `Swap the call sites!` becomes `swap-the-call-sites`; empty when nothing is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii")
    return _NOT_IN_SLUG.sub("-", plain.lower()).strip("-")[:_LONGEST_SLUG].rstrip("-")


def _sections(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines above the first `## `, then those of each section with its heading first."""
    sections: list[list[Line]] = [[]]
    for line in lines:
        if _heading(line, 2) is not None:
            sections.append([])
        sections[-1].append(line)
    return sections


def _heading(line: Line, level: int) -> str | None:
    """The text of a heading of this level, without its closing marks; None for any other line."""
    match = _HEADING.match(line.text)
    if line.fence is not None or match is None or len(match.group(1)) != level:
        return None
    title = line.text[match.end() :].strip()
    without_marks = title.rstrip("#")
    return without_marks.rstrip() if without_marks[-1:] in ("", " ", "\t") else title


def _head(lines: Sequence[Line]) -> Draft:
    prose = [line for line in lines if line.fence != "toml"]
    said: dict[str, _Said] = {}
    for line in prose:
        if title := _heading(line, 1):
            said["title"] = _Said(line=line.number, value=title)
            prose.remove(line)
            break
    said |= _said_by(prose, "goal")
    return _joined(_keys(lines), said)


def _task(lines: Sequence[Line]) -> Draft:
    heading, body = lines[0], lines[1:]
    title = _heading(heading, 2) or ""
    prose = [line for line in body if line.fence != "toml"]
    acceptance = _acceptance(prose)
    kept = [line for line in prose if line.number not in acceptance.numbers]
    said = _said_by(kept, "text")
    if acceptance.items:
        said["acceptance"] = _Said(line=acceptance.items[0].line, value=[item.value for item in acceptance.items])
    draft = _joined(_keys(body), said)
    places: dict[KeyPath, int] = {(): heading.number, ("id",): heading.number}
    places.update({("acceptance", index): item.line for index, item in enumerate(acceptance.items)})
    # A section of its heading alone says there what is to be done.
    values = {"id": slug(title), "text": title, **(draft.values or {})}
    return replace(draft, values=values, lines={**places, **draft.lines})


def _keys(lines: Sequence[Line]) -> Draft:
    """The draft of the one `toml` fence among the lines; a second one is a problem."""
    blocks = fenced(lines, "toml")
    if not blocks:
        return Draft(values={})
    draft = read_toml(blocks[0].text, above=blocks[0].line)
    what = "a second ```toml block; one block holds all keys, and an example is fenced as ```text"
    seconds = tuple(Problem(line=block.line, what=what) for block in blocks[1:])
    return replace(draft, problems=(*draft.problems, *seconds))


def _said_by(prose: Sequence[Line], key: str) -> dict[str, _Said]:
    """The text of these lines; several blank ones in a row, as cut-out blocks leave them, are one."""
    kept: list[str] = []
    for line in prose:
        is_blank = line.fence is None and not line.text.strip()
        if not (is_blank and kept[-1:] in ([], [""])):
            kept.append("" if is_blank else line.text)
    text = "\n".join(kept).strip()
    number = next((line.number for line in prose if line.text.strip()), 0)
    return {key: _Said(line=number, value=text)} if text else {}


def _joined(keys: Draft, said: Mapping[str, _Said]) -> Draft:
    """Keys joined with what the prose says; a key that both give differently is a problem."""
    values, places, problems = dict(keys.values or {}), dict(keys.lines), list(keys.problems)
    for key, prose in said.items():
        if key not in values:
            values[key] = prose.value
            places[(key,)] = prose.line
        elif values[key] != prose.value:
            what = f"`{key}` is given twice: by the key in line {places.get((key,))}, and by this text"
            problems.append(Problem(line=prose.line, what=what))
    return Draft(values=values, lines=places, problems=tuple(problems))


@dataclass(frozen=True, kw_only=True)
class _Acceptance:
    items: tuple[_Said, ...] = ()
    numbers: frozenset[int] = frozenset()


def _acceptance(prose: Sequence[Line]) -> _Acceptance:
    """The list under "Acceptance", and the numbers of all lines that belong to it."""
    at = next((at for at, line in enumerate(prose) if line.fence is None and _ACCEPTANCE.match(line.text)), None)
    if at is None:
        return _Acceptance()
    items: list[tuple[int, list[str]]] = []
    numbers = {prose[at].number}
    for line in prose[at + 1 :]:
        if line.fence is None and (item := _ITEM.match(line.text)):
            items.append((line.number, [item.group(1).strip()]))
        elif line.fence is None and items and (more := _CONTINUED.match(line.text)):
            items[-1][1].append(more.group(1).strip())
        elif line.fence is not None or line.text.strip():
            break
        numbers.add(line.number)
    if not items:
        # A heading without a list is text like any other.
        return _Acceptance()
    said = tuple(_Said(line=number, value=" ".join(texts)) for number, texts in items)
    return _Acceptance(items=said, numbers=frozenset(numbers))
