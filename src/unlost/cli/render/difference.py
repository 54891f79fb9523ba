"""What differs between two snapshots, as a unified diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Final

from unlost.cli.palette import Palette
from unlost.facts.quoting import clean, path_text
from unlost.plain.differing import DiffedPath

_CONTEXT: Final = 3
_BINARY_LOOK: Final = 8000
_NO_NEWLINE: Final = " (no newline at the end)"


def diff_text(paths: Sequence[DiffedPath], palette: Palette) -> str:
    """Each path's hunks, or one line where its content is no text."""
    return "\n".join(line for path in paths for line in _one(path, palette))


def _one(path: DiffedPath, palette: Palette) -> Iterator[str]:
    name = path_text(path.path)
    yield palette.strong(f"{path.kind} {name}{_mode(path)}")
    before, after = _lines(path.before, absent=path.kind == "added"), _lines(path.after, absent=path.kind == "deleted")
    if before is None or after is None:
        yield "  binary or too large to show"
        return
    hunks = difflib.unified_diff(before, after, lineterm="", n=_CONTEXT)
    for number, line in enumerate(hunks):
        # The first two lines name the files, which the headline has done.
        if number >= 2:
            yield _dressed(line, palette)


def _mode(path: DiffedPath) -> str:
    if path.mode_before and path.mode_after and path.mode_before != path.mode_after:
        return f"  mode {path.mode_before} → {path.mode_after}"
    return ""


def _lines(content: bytes | None, *, absent: bool) -> list[str] | None:
    """The lines of a text, made harmless for a terminal; None for what is no text."""
    if content is None:
        return [] if absent else None
    if b"\0" in content[:_BINARY_LOOK]:
        return None
    lines = [clean(line, one_line=True) for line in content.decode("utf-8", "replace").split("\n")]
    if lines[-1] == "":
        return lines[:-1]
    return [*lines[:-1], f"{lines[-1]}{_NO_NEWLINE}"]


def _dressed(line: str, palette: Palette) -> str:
    if line.startswith("+"):
        return palette.good(line)
    if line.startswith("-"):
        return palette.loss(line)
    return palette.faint(line) if line.startswith("@@") else line
