"""What the importers share: a file as it was read, and the entries that are found in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from unlost.facts.errors import Problem
from unlost.facts.records import dataclass, field
from unlost.plan.fences import Line


@dataclass(frozen=True, kw_only=True)
class Node:
    """A JSON value, the line that it begins in, and the values below it; members by key, items by number."""

    value: Any
    line: int
    below: Mapping[str | int, Node] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file: its JSON documents (one, or one a line) when it is JSON, else its lines as Markdown has them."""

    name: str
    documents: tuple[Node, ...] = ()
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One piece of work as the other tool keeps it.

    `id` is the tool's own, empty when it has none. `done`: somebody says that it is done. `after` are the ids of
    entries that come before it; `acceptance` tells how one sees that it is done.
    """

    id: str
    title: str
    line: int
    text: str = ""
    done: bool = False
    after: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Foreign:
    """What was found in a file; `left_out` counts, by the tool's own word, the entries that nobody wants any more."""

    title: str = ""
    goal: str = ""
    entries: tuple[Entry, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


class Importer(Protocol):
    """What reads one format; each is a module."""

    def recognises(self, source: Source) -> bool:
        """Whether a file is of this format, by what it holds; its name proves nothing."""

    def read(self, source: Source) -> Foreign:
        """The entries of a file of this format; raises nothing for what it holds."""
