"""Take secrets out of prose before it is stored, shown or sent (decision 5).

Known values first: what unlost itself was handed, in every encoding an agent is likely to print. Shapes second. A
redactor is the last net, not the plan: on kinds of secrets it was not made for it finds about two of three. It is never
run over `file`, `anchor`, `before`, `after` of a fix, over snapshots or file names.
"""

from __future__ import annotations

import base64
import json
import re
import urllib.parse
from collections.abc import Iterator, Mapping
from typing import Final

from unlost.host.secret_shapes import NAMED_VALUE, PLACEHOLDER, SHAPES, Shape, looks_random, names_a_hash

SHORTEST_KNOWN: Final = 8
"""Known values shorter than this would match ordinary words; they are not looked for."""

_WINDOW: Final = 8192
_SHORTEST_ENCODED: Final = 12


class Redactor:
    """Replaces secrets in text by `[REDACTED:kind]`; `known` maps a name to a value that must never appear."""

    def __init__(self, known: Mapping[str, str] | None = None) -> None:
        names = {
            variant: name
            for name, value in (known or {}).items()
            if len(value) >= SHORTEST_KNOWN
            for variant in _variants(value)
        }
        self._names = names
        longest_first = sorted(names, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest_first))) if names else None

    def __call__(self, text: str) -> str:
        """The text without the secrets that were found."""
        return self.counted(text)[0]

    def counted(self, text: str) -> tuple[str, int]:
        """The text without the secrets that were found, and how many were found.

        Known values and key blocks are looked for in the whole text, the other shapes line by line, in windows of
        8 KiB of an over-long line, so that the work is bounded by the length of the text.
        """
        count = 0
        if self._known is not None:
            text, count = self._known.subn(lambda match: f"[REDACTED:{self._names[match[0]]}]", text)
        text, found = _without(SHAPES[0], text)
        count += found
        pieces = []
        for piece in _windows(text):
            cleaned, found = _without_shapes(piece)
            pieces.append(cleaned)
            count += found
        return "".join(pieces), count


def secret_kinds(text: str) -> tuple[str, ...]:
    """The kinds of secrets a text seems to hold, each once: for reporting a field that may not be redacted."""
    return tuple(dict.fromkeys(re.findall(r"\[REDACTED:([a-z-]+)\]", Redactor()(text))))


def _windows(text: str) -> Iterator[str]:
    """The text in pieces that end at line ends; an over-long line is cut at white space near the window's end."""
    for line in text.splitlines(keepends=True):
        while len(line) > _WINDOW:
            end = max(line.rfind(" ", _WINDOW // 2, _WINDOW), line.rfind(",", _WINDOW // 2, _WINDOW)) + 1 or _WINDOW
            yield line[:end]
            line = line[end:]  # noqa: PLW2901  (the rest of the same line)
        yield line


def _without_shapes(text: str) -> tuple[str, int]:
    count = 0
    for shape in SHAPES[1:]:
        if not shape.literals or any(literal in text for literal in shape.literals):
            text, found = _without(shape, text)
            count += found
    text, found = _without_named_values(text)
    return text, count + found


def _without(shape: Shape, text: str) -> tuple[str, int]:
    count = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal count
        value = match.groupdict().get("v")
        if PLACEHOLDER.match(value if value is not None else match[0]):
            return match[0]
        count += 1
        return _marked(match, shape.name, whole=value is None)

    return shape.pattern.sub(replaced, text), count


def _without_named_values(text: str) -> tuple[str, int]:
    count = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal count
        if (
            "[REDACTED:" in match[0]
            or not looks_random(match["v"])
            or names_a_hash(match.string, match.start(), match["key"])
        ):
            return match[0]
        count += 1
        return _marked(match, "value", whole=False)

    return NAMED_VALUE.sub(replaced, text), count


def _marked(match: re.Match[str], name: str, *, whole: bool) -> str:
    if whole:
        return f"[REDACTED:{name}]"
    start, end = match.start("v") - match.start(), match.end("v") - match.start()
    return f"{match[0][:start]}[REDACTED:{name}]{match[0][end:]}"


def _variants(value: str) -> set[str]:
    """A value as it is and as URL, JSON, hex and base64 at its three alignments would print it."""
    data = value.encode("utf-8", "surrogatepass")
    found = {
        value,
        urllib.parse.quote(data, safe=""),
        urllib.parse.quote_plus(data),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        data.hex(),
    }
    for padding, skipped in enumerate((0, 2, 3)):
        encoded = base64.b64encode(b"\0" * padding + data).decode("ascii")[skipped:].rstrip("=")
        if (len(data) + padding) % 3:
            # The last character also holds bits of whatever follows the value.
            encoded = encoded[:-1]
        if len(encoded) >= _SHORTEST_ENCODED:
            found |= {encoded, encoded.replace("+", "-").replace("/", "_")}
    return {variant for variant in found if len(variant) >= SHORTEST_KNOWN}
