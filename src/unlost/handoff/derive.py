"""The handoff of a worker that left none: derived from what it changed, never from what it said.

The same typed handoff, made of facts: each changed stretch of a text file is an exact fix whose three texts are
chosen so that verifying can tell it from the unchanged file, new files are listed, failing checks and open tasks are
handed in. Which of the two it is, is said in `notes`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from unlost.facts.paths import check_path
from unlost.facts.quoting import path_text
from unlost.facts.records import dataclass, replace
from unlost.facts.trees import EXECUTABLE, REGULAR, Change
from unlost.handoff.classify import Body, Wording, classify
from unlost.handoff.facts import ExactFix, FailingTest, Handoff, fix_json, handoff_json
from unlost.handoff.schema import LIMIT
from unlost.hunks.diff import Hunk, diff
from unlost.hunks.text import exact_lines, is_binary

DERIVED: Final = "Derived by unlost from the changes of an attempt that left no handoff of its own."
FILE_LIMIT: Final = 1 << 20
"""Bytes of a file that fixes are derived from; larger ones are named in `notes`."""

_FILES: Final = (REGULAR, EXECUTABLE)
_CONTEXTS: Final = (1, 2, 4, 8)
_ANCHOR_REACH: Final = 40
_RESERVE: Final = 24 << 10
_MOST_UNTOLD: Final = 50


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What is known of an attempt that ended: its task, its cap (0: none), what it leaves open, where it began."""

    task: str
    iteration_cap: int = 0
    failing_tests: tuple[FailingTest, ...] = ()
    remaining_steps: tuple[str, ...] = ()
    base_commit: str | None = None


def derive_handoff(ended: Ended, changes: Iterable[Change], content: Callable[[str], bytes]) -> Handoff:
    """A handoff from an attempt's changes (opening tree to closing tree); `content` reads a blob by its id.

    At most 256 KiB as a file: what does not fit, and what no fix can say (deletions, links, binary files), is named
    in `notes`; its content is in the snapshot. A handoff without anything to hand over names the task as the step
    that remains.
    """
    new_files: list[bytes] = []
    fixes: list[ExactFix] = []
    untold: list[str] = []
    for change in changes:
        if not _is_legal(change.path):
            continue
        if change.before is None and change.after is not None:
            new_files.append(change.path)
            continue
        told = None if change.after is None else _fixes_of(change, content)
        if told is None:
            untold.append(f"{path_text(change.path)} ({'deleted' if change.after is None else 'no text fix'})")
        else:
            fixes += told
    plain = Handoff(
        task=ended.task,
        iteration_cap=ended.iteration_cap,
        failing_tests=ended.failing_tests,
        new_files=tuple(new_files),
        remaining_steps=ended.remaining_steps or (f"finish the task: {ended.task}",),
        base_commit=ended.base_commit,
        notes=DERIVED,
    )
    return _bounded(plain, fixes, untold)


def _bounded(plain: Handoff, fixes: Sequence[ExactFix], untold: list[str]) -> Handoff:
    """The handoff with as many whole fixes as fit; the rest is told by name."""
    room = LIMIT - _RESERVE - len(json.dumps(handoff_json(plain)))
    kept = []
    for fix in fixes:
        room -= len(json.dumps(fix_json(fix))) + 2
        if room < 0:
            untold.append(f"{path_text(fix.file)} (a fix that does not fit)")
        else:
            kept.append(fix)
    names = list(dict.fromkeys(untold))
    notes = DERIVED
    if names:
        more = f", and {len(names) - _MOST_UNTOLD} more" if len(names) > _MOST_UNTOLD else ""
        notes += f" Not told as fixes: {', '.join(name[:200] for name in names[:_MOST_UNTOLD])}{more}."
    return replace(plain, exact_fixes=tuple(kept), notes=notes)


def _fixes_of(change: Change, content: Callable[[str], bytes]) -> list[ExactFix] | None:
    """The fixes of one changed text file; None when its change cannot be told as fixes."""
    before, after = change.before, change.after
    assert before is not None
    assert after is not None
    if before.mode not in _FILES or after.mode not in _FILES:
        return None
    old, new = content(before.oid), content(after.oid)
    if max(len(old), len(new)) > FILE_LIMIT or is_binary(old) or is_binary(new):
        return None
    return list(derive_fixes(change.path, old, new))


def derive_fixes(path: bytes, old: bytes, new: bytes) -> Iterator[ExactFix]:
    """The exact fixes that turn one text into another, in the order of the file.

    Each is `open` in the old text and `applied` in the new one by `classify`: context grows until that holds, and
    where no context makes it so (the same stretch stands twice), the whole file is the fix.
    """
    old_lines, new_lines = exact_lines(old), exact_lines(new)
    hunks = diff(old_lines, new_lines)
    found = []
    for number, hunk in enumerate(hunks):
        room_before = hunk.old_start - (hunks[number - 1].old_end if number else 0)
        room_after = (hunks[number + 1].old_start if number + 1 < len(hunks) else len(old_lines)) - hunk.old_end
        fix = _telling_fix(path, old_lines, new_lines, hunk, (room_before, room_after))
        if fix is None:
            yield _fix(path, b"", old, new)
            return
        found.append(fix)
    yield from found


def _telling_fix(
    path: bytes, old: Sequence[bytes], new: Sequence[bytes], hunk: Hunk, room: tuple[int, int]
) -> ExactFix | None:
    old_body, new_body = Body(b"".join(old)), Body(b"".join(new))
    for context in _CONTEXTS:
        lead, trail = min(context, room[0]), min(context, room[1])
        fix = _fix(
            path,
            _anchor(old, hunk.old_start - lead),
            b"".join(old[hunk.old_start - lead : hunk.old_end + trail]),
            b"".join(new[hunk.new_start - lead : hunk.new_end + trail]),
        )
        wording = Wording.of(fix)
        if classify(old_body, wording) == "open" and classify(new_body, wording) == "applied":
            return fix
    return None


def _anchor(lines: Sequence[bytes], start: int) -> bytes:
    """The nearest line above that is not indented and says something: a function, a heading; else none."""
    for line in reversed(lines[max(0, start - _ANCHOR_REACH) : start]):
        if line[:1].isalnum() and len(line.strip()) > 3:
            return line.strip()
    return b""


def _fix(path: bytes, anchor: bytes, before: bytes, after: bytes) -> ExactFix:
    return ExactFix(file=path, anchor=_text(anchor), before=_text(before), after=_text(after))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _is_legal(path: bytes) -> bool:
    try:
        check_path(path)
    except ValueError:
        return False
    return True
