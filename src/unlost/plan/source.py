"""From the bytes of a plan file to text, and from TOML text to a draft; every fault with its line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from typing import Final

from unlost.facts.errors import Problem
from unlost.facts.quoting import cut
from unlost.plan.draft import Draft
from unlost.plan.facts import MAXIMUM_BYTES
from unlost.plan.positions import DEEPEST, NestedTooDeeply, key_lines

# What shows a reader another text than the one that is carried out: control characters, overrides and
# isolates of the writing direction, line separators, tag characters. Joiners and variation selectors stay:
# emoji and many scripts need them.
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_PLACE: Final = re.compile(r"\s*\((?:at line (\d+), column (\d+)|at end of document)\)$")
_ENDLESS_NUMBER: Final = re.compile(r"(?<![0-9_])[0-9_]{4000,}+")
_LONGEST_MESSAGE: Final = 200


def decode(data: bytes) -> tuple[str, tuple[Problem, ...]]:
    """The text of a plan file (UTF-8, at most 256 KiB, line ends as a single newline) and what is wrong with it.

    With problems the text is empty unless it could still be read.
    """
    if len(data) > MAXIMUM_BYTES:
        return "", (Problem(line=None, what=f"the file has {len(data)} bytes; a plan has at most {MAXIMUM_BYTES}"),)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return "", (Problem(line=line, what="the file is not UTF-8 text"),)
    text = text.replace("\r\n", "\n")
    return text, tuple(_hidden_characters(text))


def hidden_character(text: str) -> str | None:
    """The first character that hides or reorders text, as `U+202E`, or None; newline and tab do not."""
    match = _HIDDEN.search(text)
    return f"U+{ord(match.group()):04X}" if match else None


def read_toml(text: str, *, above: int = 0) -> Draft:
    """A draft from TOML text that begins `above` lines down its file."""
    try:
        lines = {path: line + above for path, line in key_lines(text).items()}
    except NestedTooDeeply as error:
        what = f"nested more than {DEEPEST} deep"
        return Draft(values=None, problems=(Problem(line=error.line + above, what=what),))
    try:
        return Draft(values=tomllib.loads(text), lines=lines)
    except ValueError as error:
        last_key = max(lines.values(), default=above + 1)
        return Draft(values=None, problems=(_syntax_problem(str(error), text, above=above, last_key=last_key),))


def _hidden_characters(text: str) -> Iterator[Problem]:
    for number, line in enumerate(text.split("\n"), start=1):
        if character := hidden_character(line):
            yield Problem(line=number, what=f"the character {character} hides or reorders text; leave it out")


def _syntax_problem(message: str, text: str, *, above: int, last_key: int) -> Problem:
    """What `tomllib` says, with the place taken out of it; before Python 3.14 the place is only in the text.

    "At the end of the document" means that something was never closed: what the last key began.
    """
    place = _PLACE.search(message)
    if place is None and (number := _ENDLESS_NUMBER.search(text)):
        # Python refuses to convert numbers of thousands of digits, and does not say where one stands.
        return Problem(line=text.count("\n", 0, number.start()) + 1 + above, what="a number has too many digits")
    what = f"not valid TOML: {cut(message[: place.start()] if place else message, _LONGEST_MESSAGE)}"
    if place is None:
        return Problem(line=None, what=what)
    return Problem(line=int(place.group(1)) + above if place.group(1) else last_key, what=what)
