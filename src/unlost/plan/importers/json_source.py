"""JSON with the line of every value: Python's own reader says nothing of where a value stands."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from typing import Any, Final

from unlost.facts.errors import Problem
from unlost.plan.importers.facts import Node

DEEPEST: Final = 32
_BLANK: Final = re.compile(r"[ \t\n\r]*")
_STRING: Final = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR: Final = re.compile(r"-?\d[\d.eE+-]*|true|false|null")


class NotJson(ValueError):
    """The text is no JSON; `line` is where that shows."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.line = line


def read_json(text: str) -> Node:
    """The one document of a text. Raises NotJson."""
    reader = _Reader(text)
    node = reader.value(0)
    reader.blank()
    if reader.at != len(text):
        raise NotJson("more text behind the document", reader.line())
    return node


def read_json_lines(text: str) -> tuple[tuple[Node, ...], tuple[Problem, ...]]:
    """A document a line, and what is wrong with the lines that are none."""
    nodes, problems = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            nodes.append(_moved(read_json(line), number - 1))
        except NotJson as error:
            problems.append(Problem(line=number, what=f"not valid JSON: {error}"))
    return tuple(nodes), tuple(problems)


def _moved(node: Node, lines: int) -> Node:
    below = {key: _moved(each, lines) for key, each in node.below.items()}
    return Node(value=node.value, line=node.line + lines, below=below)


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.at = 0

    def line(self) -> int:
        return bisect_right(self._starts, self.at)

    def blank(self) -> None:
        match = _BLANK.match(self._text, self.at)
        assert match is not None, "it matches nothing, too"
        self.at = match.end()

    def value(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise NotJson(f"nested more than {DEEPEST} deep", self.line())
        self.blank()
        line = self.line()
        if self._take("{"):
            return self._members(line, depth)
        if self._take("["):
            return self._items(line, depth)
        return Node(value=self._scalar(), line=line)

    def _members(self, line: int, depth: int) -> Node:
        below: dict[str | int, Node] = {}
        self.blank()
        while not self._take("}"):
            if below:
                self._expect(",")
                self.blank()
            key = self._string()
            self.blank()
            self._expect(":")
            below[key] = self.value(depth + 1)
            self.blank()
        return Node(value={key: each.value for key, each in below.items()}, line=line, below=below)

    def _items(self, line: int, depth: int) -> Node:
        below: dict[str | int, Node] = {}
        self.blank()
        while not self._take("]"):
            if below:
                self._expect(",")
            below[len(below)] = self.value(depth + 1)
            self.blank()
        return Node(value=[each.value for each in below.values()], line=line, below=below)

    def _scalar(self) -> Any:
        if self._text.startswith('"', self.at):
            return self._string()
        match = _SCALAR.match(self._text, self.at)
        if match is None:
            raise NotJson("a value is missing", self.line())
        try:
            value = json.loads(match.group())
        except ValueError as error:
            raise NotJson("a number that is none", self.line()) from error
        self.at = match.end()
        return value

    def _string(self) -> str:
        match = _STRING.match(self._text, self.at)
        if match is None:
            raise NotJson("a text in double quotes is missing, or never closed", self.line())
        try:
            value: str = json.loads(match.group())
            value.encode()
        except UnicodeEncodeError as error:
            raise NotJson("half a character", self.line()) from error
        except ValueError as error:
            raise NotJson("an escape that is none", self.line()) from error
        self.at = match.end()
        return value

    def _take(self, text: str) -> bool:
        found = self._text.startswith(text, self.at)
        self.at += len(text) if found else 0
        return found

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise NotJson(f"`{text}` is missing", self.line())
