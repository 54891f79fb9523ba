"""What a search found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypedDict

from unlost.cli.palette import Palette
from unlost.cli.render.amounts import columns, count, listed, moment_text, size_text
from unlost.cli.render.names import shown
from unlost.facts.durations import parse_instant
from unlost.facts.quoting import JsonName, clean, cut

_MOST_LINES: Final = 60
_LONGEST_NAME: Final = 40
_WORDS: Final = {"vscode": "VS Code", "claude": "Claude Code", "worktree": "work tree"}


class FoundRow(TypedDict):
    """One content in one place."""

    path: JsonName | None
    place: str
    ref: str
    at: str | None
    bytes: int
    oid: str
    restore: str | None


class FindDocument(TypedDict):
    """`unlost.find/1`."""

    found: Sequence[FoundRow]


def found_text(document: FindDocument, palette: Palette, *, now: float, to: str | None) -> str:
    """A line a find, the newest first, then how to get at them."""
    rows = document["found"]
    if not rows:
        return "nothing was found"
    lines = columns([_cells(row, palette, now) for row in rows])
    end = count(len(rows), "find")
    if to is None:
        commands = next((row["restore"] for row in rows if row["restore"] is not None), None)
        end += " · --to DIR writes the newest of each path" + ("" if commands is None else f" · first: {commands}")
    return "\n".join([*listed(lines, _MOST_LINES), palette.strong(end)])


def _cells(row: FoundRow, palette: Palette, now: float) -> tuple[str, ...]:
    at = "-" if row["at"] is None else moment_text(parse_instant(row["at"]), now=now)
    name = palette.faint("(no name)") if row["path"] is None else shown(row["path"])
    return (at, _WORDS.get(row["place"], row["place"]), _ref(row["ref"]), size_text(row["bytes"]), name)


def _ref(ref: str) -> str:
    """An id by its first digits, anything else cut."""
    if len(ref) in (40, 64) and not ref.strip("0123456789abcdef"):
        return ref[:12]
    return cut(clean(ref, one_line=True), _LONGEST_NAME)
