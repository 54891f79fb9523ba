"""The report of a bug in unlost: what a person can paste into an issue without giving anything away.

It holds versions, the command's name, the kind of the error and the lines of code it went through. It holds no
argument, no environment and no absolute path: file names are cut to the package, the home folder to `~`.
"""

from __future__ import annotations

import os
import re
import sys
import traceback
from collections.abc import Collection, Sequence
from typing import Final

from unlost.facts.quoting import clean, cut
from unlost.facts.version import VERSION

_ABSOLUTE: Final = re.compile(r"(?<![\w.])/(?:[^\s'\"/:,;()]+/)*[^\s'\"/:,;()]+")
_MOST_FRAMES: Final = 30
_LONGEST_MESSAGE: Final = 500


def bug_report(error: BaseException, arguments: Sequence[str], *, commands: Collection[str]) -> str:
    """The report as text; of the arguments only a known command's name and the options' names are told."""
    python = ".".join(str(part) for part in sys.version_info[:3])
    lines = [
        "unlost met an error of its own; please report it. What was captured before is whole.",
        "",
        "```text",
        f"unlost {VERSION} · Python {python} · {sys.platform} {os.uname().release} · {os.uname().machine}",
        f"command: {_told_arguments(arguments, commands)}",
        *_chain(error),
        "```",
        "hint: paste this together with the output of `unlost doctor --json`",
    ]
    return "\n".join(lines)


def _told_arguments(arguments: Sequence[str], commands: Collection[str]) -> str:
    return " ".join(["unlost", *(_told_argument(argument, commands) for argument in arguments)])


def _told_argument(argument: str, commands: Collection[str]) -> str:
    if argument.startswith("-"):
        return clean(argument.partition("=")[0], one_line=True)
    return argument if argument in commands else "…"


def _chain(error: BaseException) -> list[str]:
    """The error and, deepest first, the one it came from, with the code each went through."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    lines = [] if cause is None else [*_chain(cause), "which led to"]
    frames = traceback.extract_tb(error.__traceback__)[-_MOST_FRAMES:]
    lines += [f"  {_module_path(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames]
    message = cut(clean(_ABSOLUTE.sub("…", str(error)), one_line=True), _LONGEST_MESSAGE)
    return [*lines, f"{type(error).__name__}: {message}" if message else type(error).__name__]


def _module_path(filename: str) -> str:
    """The path from the last folder that is on the import path of a reader: `unlost/cli/app.py`."""
    for marker in ("site-packages/", "/src/", f"/python{sys.version_info[0]}.{sys.version_info[1]}/"):
        if marker in filename:
            return filename.rpartition(marker)[2]
    return os.path.basename(filename)
