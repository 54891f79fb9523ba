"""Shell text taken apart into the simple commands it would run, as far as that can be seen without running it.

For a guard, not for a shell: it errs on the side of finding one command too many. Substitutions, `bash -c`, `env`,
`sudo`, `xargs` and their like are looked into; variables and aliases stay as they are written.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from typing import Final

Words = tuple[str, ...]

_OPERATORS: Final = frozenset({";", "&", "&&", "||", "|", "|&", ";;", "(", ")", "{", "}", "!", "\n"})
_KEYWORDS: Final = frozenset(
    {"if", "then", "else", "elif", "fi", "while", "until", "do", "done", "for", "case", "esac", "time"}
)
_REDIRECTION: Final = re.compile(r"\d*(?:>>?|<|<>|>\||&>>?|<<<?)&?-?")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"})
# Programs that run the rest of their words, with those of their options that take a word of their own.
_CARRIERS: Final[dict[str, frozenset[str]]] = {
    "sudo": frozenset({"-u", "-g", "-C", "-h", "-p", "-r", "-t", "-D", "--user", "--group", "--chdir"}),
    "doas": frozenset({"-u", "-C"}),
    "env": frozenset({"-u", "-C", "-S", "--unset", "--chdir"}),
    "command": frozenset(),
    "builtin": frozenset(),
    "exec": frozenset({"-a"}),
    "nohup": frozenset(),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n", "-p"}),
    "setsid": frozenset(),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "time": frozenset({"-f", "-o"}),
    "xargs": frozenset({"-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E", "--max-args", "--delimiter", "--arg-file"}),
    "unbuffer": frozenset(),
    "eval": frozenset(),
}
_DEEPEST: Final = 8


class NotUnderstood(ValueError):
    """The text is no shell text that can be taken apart: unbalanced quotes, or nested too deeply."""


def simple_commands(text: str, *, depth: int = 0) -> Iterator[Words]:
    """Every simple command, carriers and assignments taken off, inner ones first. Raises NotUnderstood."""
    if depth > _DEEPEST:
        raise NotUnderstood("commands are nested too deeply to be looked into")
    inner, outer = _without_substitutions(text)
    for each in inner:
        yield from simple_commands(each, depth=depth + 1)
    for words in _split(outer):
        yield from _carried(words, depth)


def _split(text: str) -> Iterator[Words]:
    """Words between operators, without redirections."""
    lexer = shlex.shlex(text.replace("\\\n", " "), posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    skip_next = False
    try:
        for token in lexer:
            if token in _OPERATORS or set(token) <= set(";&|()\n"):
                yield tuple(words)
                words, skip_next = [], False
            elif skip_next:
                skip_next = False
            elif _REDIRECTION.fullmatch(token):
                skip_next = True
                if words and words[-1].isdigit():
                    words.pop()  # `2>`: the number of a descriptor
            else:
                words.append(token)
    except ValueError as error:
        raise NotUnderstood(str(error)) from error
    yield tuple(words)


def _carried(words: Words, depth: int) -> Iterator[Words]:
    """The command that these words run: assignments, keywords and carriers taken off, `sh -c` looked into."""
    while words and (_ASSIGNMENT.match(words[0]) or words[0] in _KEYWORDS):
        words = words[1:]
    if not words or words[0].startswith("#"):
        return
    name = os.path.basename(words[0])
    if name in _CARRIERS:
        if name == "eval":
            yield from simple_commands(" ".join(words[1:]), depth=depth + 1)
            return
        yield from _carried(_after_options(words[1:], _CARRIERS[name], name), depth + 1)
    elif name in _SHELLS:
        script = _script(words)
        if script is not None:
            yield from simple_commands(script, depth=depth + 1)
        elif name == "busybox":
            yield from _carried(words[1:], depth + 1)
    else:
        yield words


def _after_options(words: Words, valued: frozenset[str], name: str) -> Words:
    position = 0
    while position < len(words):
        word = words[position]
        if word == "--":
            position += 1
            break
        if not word.startswith("-"):
            break
        position += 2 if word in valued else 1
    if name == "timeout":
        position += 1  # its first plain word is the duration
    return words[position:]


def _script(words: Words) -> str | None:
    """The text after `-c` (also `-lc`, `-ec`), or None."""
    for position, word in enumerate(words[1:], 1):
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            return words[position + 1] if position + 1 < len(words) else None
        if not word.startswith(("-", "+")) and word != "sh":
            return None
    return None


def _without_substitutions(text: str) -> tuple[list[str], str]:
    """What stands in `$(…)`, `<(…)` and backticks outside single quotes, and the text without them."""
    inner: list[str] = []
    outer: list[str] = []
    position, quoted = 0, False
    while position < len(text):
        start, character = position, text[position]
        if character == "\\":
            position += 1
        elif character == '"':
            quoted = not quoted
        elif character == "'" and not quoted:
            end = text.find("'", position + 1)
            position = end if end >= 0 else len(text)
        elif text.startswith(("$(", "<(", ">("), position) or character == "`":
            first = position + (1 if character == "`" else 2)
            position = text.find("`", first) if character == "`" else _closing(text, first)
            position = position if position >= 0 else len(text)
            inner.append(text[first:position])
            start = position + 1
        outer.append(text[start : position + 1])
        position += 1
    return inner, "".join(outer)


def _closing(text: str, start: int) -> int:
    """Where the parenthesis before `start` closes; -1 when it does not."""
    depth = 1
    for position in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return -1
