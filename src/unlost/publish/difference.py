"""What differs between two trees as text for a reader: unified hunks, bounded, names that cannot pretend (decision 9).

What does not fit, is binary or too large is named and left out whole: a reader of half a file's change would judge
what is not there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from unlost.facts.quoting import path_literal
from unlost.facts.records import dataclass
from unlost.hunks.diff import Hunk, diff

CONTEXT: Final = 3
MAXIMUM_DIFF: Final = 384 << 10
"""Bytes of the whole text; a prompt takes 1 MiB with the plan in it."""
MAXIMUM_CONTENT: Final = 1 << 20
_BINARY_LOOK: Final = 8000


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangedFile:
    """A path that differs: its modes and contents on both sides (None: not there, or more than is read)."""

    path: bytes
    mode_before: str | None
    mode_after: str | None
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """The text, the paths it shows, and those that are left out: too large, binary, or over the bound."""

    text: str
    shown: tuple[bytes, ...]
    left_out: tuple[bytes, ...]

    @property
    def paths(self) -> tuple[bytes, ...]:
        """Every path that differs, bytewise."""
        return tuple(sorted((*self.shown, *self.left_out)))


def difference_text(files: Iterable[ChangedFile], *, limit: int = MAXIMUM_DIFF) -> Difference:
    """The hunks of each file, in the given order, until `limit` bytes are full."""
    parts: list[str] = []
    shown: list[bytes] = []
    left_out: list[bytes] = []
    room = limit
    for file in files:
        lines = _file_lines(file)
        text = None if lines is None else "\n".join(lines)
        size = 0 if text is None else len(text.encode("utf-8", "replace")) + 1
        if text is None or size > room:
            left_out.append(file.path)
            continue
        room -= size
        parts.append(text)
        shown.append(file.path)
    return Difference(text="\n".join(parts), shown=tuple(shown), left_out=tuple(left_out))


def _file_lines(file: ChangedFile) -> list[str] | None:
    """The lines of one file's change; None for what is no text that can be shown whole."""
    before, after = _lines_of(file.mode_before, file.before), _lines_of(file.mode_after, file.after)
    if before is None or after is None:
        return None
    return [_headline(file), *_hunks(before, after)]


def _headline(file: ChangedFile) -> str:
    if file.mode_before is None:
        told = "added"
    elif file.mode_after is None:
        told = "deleted"
    else:
        told = "changed"
        if file.mode_before != file.mode_after:
            told = f"changed, mode {file.mode_before} to {file.mode_after}"
    return f"=== {path_literal(file.path)} {told}"


def _lines_of(mode: str | None, content: bytes | None) -> list[bytes] | None:
    if mode is None:
        return []
    if content is None or b"\0" in content[:_BINARY_LOOK]:
        return None
    return content.split(b"\n")[:-1] if content.endswith(b"\n") else content.split(b"\n")


def _hunks(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[str]:
    for group in _groups(diff(before, after)):
        old = max(0, group[0].old_start - CONTEXT)
        new = group[0].new_start - (group[0].old_start - old)
        end = min(len(before), group[-1].old_end + CONTEXT)
        length = end - old
        grown = sum((hunk.new_end - hunk.new_start) - (hunk.old_end - hunk.old_start) for hunk in group)
        yield f"@@ -{old + 1},{length} +{new + 1},{length + grown} @@"
        for hunk in group:
            yield from (f" {_text(line)}" for line in before[old : hunk.old_start])
            yield from (f"-{_text(line)}" for line in before[hunk.old_start : hunk.old_end])
            yield from (f"+{_text(line)}" for line in after[hunk.new_start : hunk.new_end])
            old = hunk.old_end
        yield from (f" {_text(line)}" for line in before[old:end])


def _groups(hunks: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    """Hunks whose context would touch are told as one."""
    group: list[Hunk] = []
    for hunk in hunks:
        if group and hunk.old_start - group[-1].old_end > 2 * CONTEXT:
            yield group
            group = []
        group.append(hunk)
    if group:
        yield group


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")
