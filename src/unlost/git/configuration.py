"""Git's configuration files read as data: no process, and nothing that they name is run or followed.

Only what a capture needs comes out: which ignore rules and which text rules the user's git applies.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Final

from unlost.host.reading import read_regular

Settings = Mapping[str, str]
"""Lower-case `section.key` (`section.Sub.key` keeps the case of its middle) to the last value."""

_LIMIT: Final = 1 << 20
_DEEPEST_INCLUDE: Final = 5
_SECTION: Final = re.compile(r'\[\s*([A-Za-z0-9.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')
_KEY: Final = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(=)?\s*")
_ESCAPED: Final = re.compile(r"\\(.)")
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b"}


def parse_configuration(text: str) -> Iterator[tuple[str, str]]:
    """(key, value) in order; a key without a value is `true`. What git would refuse is passed over."""
    section = ""
    for line in _logical_lines(text):
        rest = line.strip()
        while match := _SECTION.match(rest):
            name, sub = match[1].lower(), match[2]
            section = name if sub is None else name + "." + _ESCAPED.sub(r"\1", sub)
            rest = rest[match.end() :].lstrip()
        found = _KEY.match(rest)
        if found and section:
            value = _value(rest[found.end() :]) if found[2] else "true"
            yield f"{section}.{found[1].lower()}", value


def read_settings(
    path: str, *, home: str | None = None, depth: int = 0, asked: list[str] | None = None
) -> dict[str, str]:
    """The settings of one file; empty when there is none or it cannot be read.

    With `home` (a file that the person owns) `include.path` is followed; without, never: a repository's
    configuration may point anywhere. Conditional includes are passed over. `asked` gains every file that was read.
    """
    if asked is not None:
        asked.append(path)
    try:
        data = read_regular(os.path.realpath(path) if home else path, _LIMIT)
    except OSError:
        return {}
    found: dict[str, str] = {}
    for key, value in parse_configuration((data or b"").decode("utf-8", "surrogateescape")):
        if key == "include.path" and home is not None and depth < _DEEPEST_INCLUDE:
            included = os.path.join(os.path.dirname(path), expand_home(value, home))
            found.update(read_settings(included, home=home, depth=depth + 1, asked=asked))
        found[key] = value
    return found


def expand_home(path: str, home: str) -> str:
    """A path of a configuration value with a leading `~/` replaced."""
    return os.path.join(home, path[2:]) if path.startswith("~/") else path


def config_value(path: str) -> str:
    """A path as the quoted value of a configuration file; any byte but NUL can be in it."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _logical_lines(text: str) -> Iterator[str]:
    """Lines with continuations joined; a backslash before the line end goes on, outside comments too."""
    pending = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        trailing = len(line) - len(line.rstrip("\\"))
        if trailing % 2 and not line.lstrip().startswith(("#", ";")):
            pending += line[:-1]
            continue
        yield pending + line
        pending = ""
    if pending:
        yield pending


def _value(text: str) -> str:
    """A value: quotes taken off, escapes read, comments and outer blanks dropped."""
    kept: list[str] = []
    blanks: list[str] = []
    quoted = False
    characters = iter(text)
    for character in characters:
        if character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            break
        elif character.isspace() and not quoted:
            if kept:
                blanks.append(character)
            continue
        else:
            if character == "\\":
                following = next(characters, "")
                character = _ESCAPES.get(following, following)  # noqa: PLW2901  (read what the escape stands for)
            kept += (*blanks, character)
            blanks.clear()
    return "".join(kept)
