"""Real source files, changed by an owner and then by others, with the truth about each of the owner's hunks."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCES = sorted(Path(os.__file__).parent.glob("*.py"))
"""The standard library's own: real code that nobody edits meanwhile."""
_APART = 6
"""Lines between two hunks: closer ones are one hunk to a diff."""
_LONG = 800
"""Files are put together to texts of so many lines at least."""
_MOST_HUNKS = 4
_FRESH = "value_{n} = combine(item_{n}, {m}, mode={m})"
_LATER = "later_{n}.record(step={m}, outcome=answer_{n})"


@dataclass(frozen=True)
class Mutated:
    """Three texts, and for each hunk its place in the old text and whether it is undone in the present one."""

    old: bytes
    mine: bytes
    now: bytes
    undone: dict[int, bool]


@dataclass
class _Hunk:
    place: int
    removed: list[str]
    added: list[str]
    fate: str


def corpus(count: int, seed: int) -> Iterator[Mutated]:
    """So many files; the same seed gives the same."""
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
    texts = [path.read_text(encoding="utf-8").split("\n") for path in SOURCES]
    for number in range(count):
        lines: list[str] = []
        while len(lines) < (_LONG if number % 2 else _LONG // 8):
            lines += chance.choice(texts)
        yield _mutated(chance, lines)


def _mutated(chance: random.Random, lines: list[str]) -> Mutated:
    hunks = [_hunk(chance, lines, place) for place in _places(chance, len(lines))]
    mine = _apply(lines, {hunk.place: (len(hunk.removed), hunk.added) for hunk in hunks})
    now = _apply(lines, {hunk.place: (len(hunk.removed), _later(chance, hunk)) for hunk in hunks})
    return Mutated(
        old="\n".join(lines).encode(),
        mine="\n".join(mine).encode(),
        now=_formatted(chance, "\n".join(_noise(chance, now))).encode(),
        undone={hunk.place: hunk.fate == "undone" for hunk in hunks},
    )


def _places(chance: random.Random, length: int) -> list[int]:
    places: list[int] = []
    for place in sorted(chance.sample(range(3, length - 8), min(_MOST_HUNKS, length // 10))):
        if not places or place - places[-1] > _APART + 4:
            places.append(place)
    return places


def _hunk(chance: random.Random, lines: list[str], place: int) -> _Hunk:
    kind = chance.choice(("replace", "insert", "delete"))
    removed = [] if kind == "insert" else lines[place : place + chance.randrange(1, 4)]
    if not any(len(line.strip()) > 4 and lines.count(line) == 1 for line in removed):
        kind, removed = "insert", []
    added = [] if kind == "delete" else [_fresh(chance, _FRESH) for _ in range(chance.randrange(1, 5))]
    return _Hunk(place=place, removed=removed, added=added, fate=chance.choice(("undone", "kept", "kept", "rewritten")))


def _later(chance: random.Random, hunk: _Hunk) -> list[str]:
    """What stands in the place of a hunk now."""
    if hunk.fate == "undone":
        return hunk.removed
    if hunk.fate == "kept":
        return hunk.added
    return [_fresh(chance, _LATER) for _ in hunk.added or hunk.removed]


def _fresh(chance: random.Random, pattern: str) -> str:
    return " " * 4 * chance.randrange(3) + pattern.format(n=chance.randrange(10**9), m=chance.randrange(100))


def _apply(lines: list[str], changes: dict[int, tuple[int, list[str]]]) -> list[str]:
    changed = list(lines)
    for place in sorted(changes, reverse=True):
        count, added = changes[place]
        changed[place : place + count] = added
    return changed


def _noise(chance: random.Random, lines: list[str]) -> list[str]:
    """Somebody else's lines at the top and the bottom."""
    top = [_fresh(chance, "import module_{n}")] * chance.randrange(2)
    bottom = [_fresh(chance, "other_{n}({m})")] * chance.randrange(2)
    return [*top, *lines, *bottom]


def _formatted(chance: random.Random, text: str) -> str:
    """What a formatter does to one file in three."""
    return chance.choice(
        (text, text, text, text, text.replace("\n", "\r\n"), text.replace('"', "'"), text.replace("    ", "\t"))
    )
