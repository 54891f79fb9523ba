"""Plain lines of `mark`, `check`, `status --line`, `workspace save|restore`: known by their words alone.

They are typed and called all the time, and click costs a third of what they cost. Whatever is unusual about a line
(help, an option that is not here, a value that is none) is left to click, which says the same of every line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from unlost.cli.palette import COLOR_MODES

_FLAGS: Final = {"--json": "json", "-q": "quiet", "--quiet": "quiet", "-y": "assume_yes", "--yes": "assume_yes"}
_GLOBAL: Final = {"-C": "folder", "--color": "color"}
_OWN: Final[Mapping[str, Mapping[str, str]]] = {
    "mark": {"-m": "label", "--label": "label"},
    "check": {"--since": "since"},
    "status": {},
    "workspace": {},
    "workspace save": {"--place": "place"},
    "workspace restore": {"--to": "to", "--place": "place"},
}
_SECOND: Final[Mapping[str, tuple[str, ...]]] = {"workspace": ("save", "restore")}
_SWITCHES: Final[Mapping[str, Mapping[str, str]]] = {
    "workspace save": {"--private": "private"},
    "workspace restore": {"--private": "private", "--abandon": "abandon", "--allow-empty": "allow_empty"},
}
_NAMED: Final = "workspace restore"
"""What takes one word more, an id, and a root."""

# `status` is plain only with its own flag: without, it is for people, and click is the least of its costs.
_NEEDED: Final = {"status": "--line"}


class PlainLine(NamedTuple):
    """A command, the global options as `Invocation` names them, and the command's own."""

    command: str
    options: Mapping[str, Any]
    own: Mapping[str, Any]

    @property
    def captures(self) -> bool:
        """Whether the command's capture may begin before anything else; a save holds its work tree still first."""
        return self.command in ("mark", "check")

    @property
    def folder(self) -> str:
        """The folder whose work tree it is about."""
        folder: str = self.options.get("folder", ".")
        return folder


def read_plain_line(arguments: Sequence[str]) -> PlainLine | None:
    """The line as a plain one; None as soon as any word of it is not."""
    command = next((word for word in arguments if word in _OWN), None)
    if command is None:
        return None
    reading, words = _Reading(command), iter(arguments)
    return reading.line() if all(reading.takes(word, words) for word in words) else None


class _Reading:
    """A line word by word."""

    def __init__(self, command: str) -> None:
        self._command = command
        self._options: dict[str, Any] = {}
        self._own: dict[str, Any] = {}
        self._has_begun = False
        self._needed = _NEEDED.get(command)

    def takes(self, word: str, following: Iterator[str]) -> bool:
        """Whether this word, with the value that may follow it, is one of a plain line."""
        if word in _FLAGS:
            self._options[_FLAGS[word]] = True
        elif word in _GLOBAL:
            return self._takes_value(self._options, _GLOBAL[word], following)
        elif not self._has_begun:
            return word == self._command and self._begins(following)
        elif word == self._needed:
            self._needed = None
        elif word in _OWN[self._command]:
            return self._takes_value(self._own, _OWN[self._command][word], following)
        elif word in _SWITCHES.get(self._command, {}):
            self._own[_SWITCHES[self._command][word]] = True
        elif self._command == _NAMED and "name" not in self._own and not word.startswith("-"):
            self._own["name"] = word
        else:
            return False
        return True

    def line(self) -> PlainLine | None:
        """The whole line, when nothing is missing."""
        if not self._has_begun or self._needed is not None:
            return None
        if self._command == "status" and "json" in self._options:
            return None
        if self._command == _NAMED and not self._own.keys() >= {"name", "to"}:
            return None
        return PlainLine(self._command, self._options, self._own)

    def _begins(self, following: Iterator[str]) -> bool:
        self._has_begun = True
        if self._command not in _SECOND:
            return True
        second = next(following, "")
        is_known = second in _SECOND[self._command]
        self._command = f"{self._command} {second}" if is_known else self._command
        return is_known

    @staticmethod
    def _takes_value(into: dict[str, Any], name: str, following: Iterator[str]) -> bool:
        value = next(following, None)
        into[name] = value
        return value is not None and (name != "color" or value in COLOR_MODES)
