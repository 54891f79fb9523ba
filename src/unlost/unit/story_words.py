"""The words that all chapters of a story share."""

from __future__ import annotations

from typing import Final, Literal

from unlost.facts.quoting import path_text

Chapter = Literal["unit", "research", "code", "check", "review", "repair", "commit", "publish", "maintain", "wait"]
Told = tuple[Chapter, str]

MAXIMUM_NAMED: Final = 5
_DIGITS: Final = 10


def short(identifier: str | None) -> str:
    """The first digits of an id; `nothing` for none."""
    return "nothing" if identifier is None else identifier[:_DIGITS]


def named(paths: tuple[bytes, ...]) -> str:
    """The first few paths, and how many more there are."""
    more = f" and {len(paths) - MAXIMUM_NAMED} more" if len(paths) > MAXIMUM_NAMED else ""
    return ", ".join(path_text(path) for path in paths[:MAXIMUM_NAMED]) + more


def counted(number: int, word: str) -> str:
    """`1 task`, `2 tasks`."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def words(word: object) -> str:
    """A word of an event as people write it."""
    return str(word).replace("_", " ")


def branch_of(ref: str | None) -> str:
    """A ref as people say it."""
    return "no branch" if ref is None else ref.removeprefix("refs/heads/")
