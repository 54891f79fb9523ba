"""What single values of a plan may be: each function returns the value as a plan keeps it, or raises ValueError."""

from __future__ import annotations

import re
from typing import Final

from unlost.facts.durations import parse_duration
from unlost.facts.patterns import check_pattern
from unlost.plan.source import hidden_character

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


def prose(text: str) -> str:
    """Text for people and agents, without the blanks around it; it must show what it says."""
    if character := hidden_character(text):
        raise ValueError(f"the character {character} hides or reorders text")
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


def one_line(text: str) -> str:
    """Prose without a line break."""
    if "\n" in prose(text):
        raise ValueError("must be one line")
    return text.strip()


def branch(text: str) -> str:
    """The name of a branch; empty when unlost is to name it."""
    if text and (not text.isprintable() or " " in text or text.startswith("-")):
        raise ValueError("must be the name of a branch, or empty")
    return text


def argument(text: str) -> str:
    """One word of a command line: anything that a process can be handed."""
    if "\0" in text:
        raise ValueError("must not hold a NUL character")
    return text


def argv(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command line: its first word names a program."""
    if not words or not words[0]:
        raise ValueError('must name a program, like ["pytest", "-q"]')
    return words


def name(text: str) -> str:
    """The id of a task or the name of a check: safe as a key, a file name and a word on a command line."""
    if not _NAME.fullmatch(text):
        raise ValueError("must be 1 to 64 letters, digits, `.`, `_` or `-`, the first a letter or digit")
    return text


def pattern(text: str) -> str:
    """A pattern of paths below the root."""
    check_pattern(text)
    return text


def variable(text: str) -> str:
    """The name of an environment variable that an agent may be handed; unlost's own are not among them."""
    if not _VARIABLE.fullmatch(text) or text.startswith("UNLOST_"):
        raise ValueError("must be the name of an environment variable, and none of unlost's own")
    return text


def seconds(value: object) -> float:
    """The seconds of a duration written as text."""
    if not isinstance(value, str):
        # ValueError, not TypeError: this is the one error that the caller turns into a named problem.
        raise ValueError('a duration is text, like "90s", "20m", "1h30m" or "7d"')  # noqa: TRY004
    return parse_duration(value)


def seconds_or_never(value: object) -> float | None:
    """The seconds of a duration, or None for `never`."""
    return None if value == "never" else seconds(value)
