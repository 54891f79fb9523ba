"""A plan file as it was read, before its keys are judged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

from unlost.facts.errors import Problem
from unlost.facts.quoting import cut
from unlost.facts.records import dataclass, field

KeyPath = tuple[str | int, ...]
"""Where a value stands: keys by name, list items counted from 0, such as `("task", 0, "paths", 1)`."""

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_LONGEST_NAME: Final = 80
_SHOWN: Final = 100


@dataclass(frozen=True, kw_only=True)
class Draft:
    """Values as TOML gives them, with the line of each key; `values` is None when nothing could be read."""

    values: Mapping[str, object] | None
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def line_of(lines: Mapping[KeyPath, int], path: KeyPath) -> int | None:
    """The line of a value, else of the nearest table around it, else None."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


def key_text(path: KeyPath) -> str:
    """A key path as people read it: `task 1.paths 2`; list items count from 1."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f" {part + 1}"
        else:
            text += f".{key_name(part)}" if text else key_name(part)
    return text


def key_name(key: str) -> str:
    """One key, harmless: bare when TOML would take it bare, else as an ASCII JSON string, cut when long."""
    return key if _BARE_KEY.fullmatch(key) else json.dumps(cut(key, _LONGEST_NAME))


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems by line, each once; at most a hundred, then how many more there are (N.R1)."""
    unique = sorted(set(problems), key=lambda problem: (problem.line or 0, problem.what))
    if len(unique) <= _SHOWN:
        return tuple(unique)
    more = Problem(line=None, what=f"and {len(unique) - _SHOWN} more problems")
    return (*unique[:_SHOWN], more)
