"""In which line each key and each list item of a TOML text stands; `tomllib` does not tell.

The scanner knows just enough of TOML to walk a valid text. Of an invalid one it finds what comes before
the fault and then stops, because `tomllib` names the fault better. Nesting is bounded here, before
`tomllib` sees the text: its own cost is quadratic in the parts of a key, and its depth is Python's stack.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from typing import Final

from unlost.plan.draft import KeyPath

DEEPEST: Final = 32
"""The most parts of a key, and the most brackets around a value."""

_BLANK: Final = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE: Final = re.compile(r"[ \t]*+")
_REST_OF_LINE: Final = re.compile(r"[ \t]*+(?:#[^\n]*+)?(?:\r?\n|\Z)")
_KEY_PART: Final = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\\n]++|\\.)*+"|'[^'\n]*+'""")
_STRING: Final = re.compile(
    r'"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+"""(?:"{0,2})'
    r"|'''(?:[^']++|'{1,2}(?!'))*+'''(?:'{0,2})"
    r'|"(?:[^"\\\n]++|\\.)*+"'
    r"|'[^'\n]*+'",
    re.DOTALL,
)
_BARE_VALUE: Final = re.compile(r"[^,\[\]{}#\"'\n]++")


class NestedTooDeeply(Exception):
    """A key or a value goes deeper than any plan does; `line` counts from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line, counted from 1, of every table, key and list item up to the first fault. Raises NestedTooDeeply."""
    scanner = _Scanner(text)
    try:
        scanner.document()
    except _NotToml:
        return scanner.lines
    return scanner.lines


class _NotToml(Exception):
    """The text stops being TOML here."""


class _Scanner:
    def __init__(self, text: str) -> None:
        self.lines: dict[KeyPath, int] = {}
        self._text = text
        self._at = 0
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._lengths: dict[KeyPath, int] = {}

    def document(self) -> None:
        table: KeyPath = ()
        while self._skip(_BLANK) < len(self._text):
            if self._peek("[["):
                table = self._header("[[", "]]", is_list=True)
            elif self._peek("["):
                table = self._header("[", "]", is_list=False)
            else:
                self._pair(table, depth=0)
            self._take(_REST_OF_LINE)

    def _header(self, opening: str, closing: str, *, is_list: bool) -> KeyPath:
        line = self._line()
        self._expect(opening)
        parts = self._key()
        self._expect(closing)
        path = self._resolve(parts[:-1], line) + parts[-1:]
        self.lines.setdefault(path, line)
        if is_list:
            index = self._lengths.get(path, 0)
            self._lengths[path] = index + 1
            self.lines[(*path, index)] = line
        return self._resolve(parts, line)

    def _resolve(self, parts: tuple[str, ...], line: int) -> KeyPath:
        """The path that a header means: through the last item of every list of tables on the way."""
        path: KeyPath = ()
        for part in parts:
            path = (*path, part)
            self.lines.setdefault(path, line)
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
        return path

    def _pair(self, table: KeyPath, *, depth: int) -> None:
        line = self._line()
        path = table
        for part in self._key():
            path = (*path, part)
            self.lines.setdefault(path, line)
        self._expect("=")
        self._skip(_SPACE)
        self._value(path, depth)

    def _key(self) -> tuple[str, ...]:
        parts: list[str] = []
        while True:
            self._skip(_SPACE)
            parts.append(_key_value(self._take(_KEY_PART)))
            if len(parts) > DEEPEST:
                raise NestedTooDeeply(self._line())
            self._skip(_SPACE)
            if not self._peek("."):
                return tuple(parts)
            self._expect(".")

    def _value(self, path: KeyPath, depth: int) -> None:
        if depth > DEEPEST:
            raise NestedTooDeeply(self._line())
        if self._peek("["):
            self._list(path, depth)
        elif self._peek("{"):
            self._inline_table(path, depth)
        elif self._peek('"') or self._peek("'"):
            self._take(_STRING)
        else:
            self._take(_BARE_VALUE)

    def _list(self, path: KeyPath, depth: int) -> None:
        self._expect("[")
        index = 0
        self._skip(_BLANK)
        while not self._peek("]"):
            line = self._line()
            self._value((*path, index), depth + 1)
            self.lines[(*path, index)] = line
            index += 1
            self._skip(_BLANK)
            if not self._peek("]"):
                self._expect(",")
                self._skip(_BLANK)
        self._expect("]")

    def _inline_table(self, path: KeyPath, depth: int) -> None:
        self._expect("{")
        self._skip(_BLANK)
        while not self._peek("}"):
            self._pair(path, depth=depth + 1)
            self._skip(_BLANK)
            if not self._peek("}"):
                self._expect(",")
                self._skip(_BLANK)
        self._expect("}")

    def _line(self) -> int:
        return bisect_right(self._starts, self._at)

    def _peek(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _expect(self, text: str) -> None:
        if not self._peek(text):
            raise _NotToml
        self._at += len(text)

    def _skip(self, token: re.Pattern[str]) -> int:
        if match := token.match(self._text, self._at):
            self._at = match.end()
        return self._at

    def _take(self, token: re.Pattern[str]) -> str:
        match = token.match(self._text, self._at)
        if match is None:
            raise _NotToml
        self._at = match.end()
        return match.group()


def _key_value(part: str) -> str:
    """The key that one part spells; `tomllib` reads the escapes."""
    if part[0] not in "\"'":
        return part
    if "\\" not in part or part[0] == "'":
        return part[1:-1]
    try:
        return str(tomllib.loads(f"key = {part}")["key"])
    except ValueError:
        raise _NotToml from None
