"""One line of what happens in a unit: a word in a column of its own, then the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from unlost.facts.quoting import path_text

WIDTH: Final = 9
_MOST_PATHS: Final = 5


def row(word: str, text: str, dress: Callable[[str], str] = str) -> str:
    """`blocked   loss  main.rs`, the word dressed."""
    return f"{dress(word.ljust(WIDTH))} {text}"


def named_paths(named: tuple[bytes, ...]) -> str:
    """The first few paths, and how many more there are."""
    more = f" and {len(named) - _MOST_PATHS} more" if len(named) > _MOST_PATHS else ""
    return ", ".join(path_text(path) for path in named[:_MOST_PATHS]) + more
