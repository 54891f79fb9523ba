"""Formatters in small: what the well-known ones do to a text, as pure functions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

Formatter = Callable[[str], str]


def black(text: str) -> str:
    """Double quotes, and long calls wrapped with one argument a line and a trailing comma."""
    lines = []
    for line in text.replace("'", '"').split("\n"):
        match = re.fullmatch(r"(\s*)(.*\w)\((.+)\)", line)
        if match and len(line) > 40 and "(" not in match[3]:
            indent, head, arguments = match.groups()
            lines.append(f"{indent}{head}(")
            lines += [f"{indent}    {argument.strip()}," for argument in arguments.split(",")]
            lines.append(f"{indent})")
        else:
            lines.append(line)
    return "\n".join(lines)


def prettier(text: str) -> str:
    """Semicolons and two spaces for four."""
    lines = [re.sub(r"^( {4})+", lambda match: "  " * (len(match[0]) // 4), line) for line in text.split("\n")]
    return "\n".join(line + ";" if line.endswith((")", '"')) and not line.endswith(";") else line for line in lines)


def gofmt(text: str) -> str:
    """Tabs for indentation, one space around operators."""
    return re.sub(
        r" *([=+]) *", r" \1 ", re.sub(r"^( {4})+", lambda match: "\t" * (len(match[0]) // 4), text, flags=re.MULTILINE)
    )


def windows(text: str) -> str:
    """Carriage returns."""
    return text.replace("\n", "\r\n")


def stripper(text: str) -> str:
    """No white space at line ends, one newline at the end, at most one blank line."""
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)).strip() + "\n"


def joiner(text: str) -> str:
    """Wrapped calls on one line where they fit."""
    wrapped = re.compile(r"\(\n\s+([^()]{1,60}?),?\n\s*\)")
    return wrapped.sub(lambda match: "(" + re.sub(r",\s+", ", ", match[1]) + ")", text)


FORMATTERS: Final[tuple[Formatter, ...]] = (black, prettier, gofmt, windows, stripper, joiner)
