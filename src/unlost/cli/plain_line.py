"""Plain lines of `mark`, `check`, `status --line`, `workspace save`: told by their words alone, so they need no click.

They are typed and called all the time, and click costs a third of what they cost. Whatever is unusual about a line
(help, an option that is not here, a value that is none) is left to click, which says the same of every line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from unlost.cli.palette import COLOR_MODES

_FLAGS: Final = {"--json": "json", "-q": "quiet", "--quiet": "quiet", "-y": "assume_yes", "--yes": "assume_yes"}
_GLOBAL: Final = {"-C": "folder", "--color": "color"}
_OWN: Final[Mapping[str, Mapping[str, str]]] = {
    "mark": {"-m": "label", "--label": "label"},
    "check": {"--since": "since"},
    "status": {},
    "workspace": {"--place": "place"},
}
# `status` is plain only with its own flag: without, it is for people, and click is the least of its costs.
_NEEDED: Final = {"status": "--line", "workspace": "save"}


class PlainLine(NamedTuple):
    """A command, the global options as `Invocation` names them, and the command's own."""

    command: str
    options: Mapping[str, Any]
    own: Mapping[str, str]

    @property
    def captures(self) -> bool:
        """Whether the command's capture may begin before anything else; a save holds its work tree still first."""
        return self.command not in _NEEDED

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
    options: dict[str, Any] = {}
    own: dict[str, str] = {}
    words = iter(arguments)
    has_begun = False
    needed = _NEEDED.get(command)
    for word in words:
        if word == command and not has_begun:
            has_begun = True
        elif word == needed and has_begun:
            needed = None
        elif word in _FLAGS:
            options[_FLAGS[word]] = True
        elif word in _GLOBAL or (has_begun and needed is None and word in _OWN[command]):
            value = next(words, None)
            if value is None or (word == "--color" and value not in COLOR_MODES):
                return None
            if word in _GLOBAL:
                options[_GLOBAL[word]] = value
            else:
                own[_OWN[command][word]] = value
        else:
            return None
    if command == "status" and "json" in options:
        return None
    return PlainLine(command, options, own) if has_begun and needed is None else None
