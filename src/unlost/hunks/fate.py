"""What became of each hunk that an owner made: still there, back to the text it replaced, or rewritten.

A hunk is judged by its *telling* lines: lines that the owner added and the old text lacked, lines that the old text
had and the owner took out. Lines are counted over the whole file in normal form, so a line that moved within the file
counts as still there, and so does one that a formatter wrapped, joined or put into brackets. Only a whole line counts
as back: old words within a new line are a rewrite.

* undone: every line it added is gone and every line it replaced is back. Of a pure insertion nothing is left, the
  text around it is, and no new text stands in its place or says the same elsewhere in the file; at the end of the
  file, where everybody appends, new text counts as its replacement only when it resembles it.
* kept: every line it added is there, or (a pure deletion) no line it took out is back.
* rewritten: anything else; replacement by new text never counts as undone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from unlost.facts.records import dataclass
from unlost.hunks.diff import Hunk, diff, fine_diff, unlike_middles
from unlost.hunks.text import Text, is_telling

Fate = Literal["kept", "undone", "rewritten"]

_AROUND: Final = 3
"""Lines of the old text on each side that tell whether a stretch is still there."""
_WORD: Final = re.compile(rb"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[\x80-\xff]+")
"""Words and the parts that names are made of; a run of letters beyond ASCII is one."""
_RESEMBLES: Final = 0.5
"""The share of an insertion's words that a replacement has to repeat."""
_SAYS_THE_SAME: Final = 0.8
_FEW_WORDS: Final = 4
"""The same for text that stands elsewhere in the file, of an insertion that has so many words at least."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """One hunk in telling lines: what it added and what it took out, in normal form, and where it stands."""

    place: Hunk
    added: tuple[bytes, ...]
    removed: tuple[bytes, ...]


def made_hunks(old: Text, mine: Text) -> tuple[Made, ...]:
    """The hunks between two texts that say something: changes of form alone are none."""
    places = diff(old.lines, mine.lines)
    stretches = [(old.lines[p.old_start : p.old_end], mine.lines[p.new_start : p.new_end]) for p in places]
    # What is equal on both sides cancels out: how often a line comes or goes is to be seen in the hunks alone.
    gone = Counter(line for removed, _ in stretches for line in removed)
    come = Counter(line for _, added in stretches for line in added)
    hunks = []
    for place, (removed, added) in zip(places, stretches, strict=True):
        if b"".join(removed) == b"".join(added):
            continue
        hunk = Made(
            place=place,
            added=_telling(line for line in added if come[line] > gone[line]),
            removed=_telling(line for line in removed if gone[line] > come[line]),
        )
        if hunk.added or hunk.removed:
            hunks.append(hunk)
    return tuple(hunks)


def fates(hunks: Iterable[Made], old: Text, mine: Text, now: Text) -> tuple[Fate, ...]:
    """The fate of each hunk (made from `old` to `mine`) in the text as it is now, in order."""
    later: list[Hunk] = []
    answers: list[Fate] = []
    for hunk in hunks:
        there = sum(now.holds_more_of(line, old) for line in hunk.added)
        back = sum((found := now.whole(line)) > 0 and found > mine.whole(line) for line in hunk.removed)
        if there == len(hunk.added) and (hunk.added or not back):
            answers.append("kept")
        elif there or back < len(hunk.removed):
            answers.append("rewritten")
        elif hunk.removed:
            answers.append("undone")
        elif not _has_context(hunk, old, now):
            answers.append("rewritten")
        else:
            later = later or diff(mine.lines, now.lines)
            answers.append("rewritten" if _is_replaced(hunk, later, mine, now) else "undone")
    return tuple(answers)


def lines_only_in(text: bytes, other: bytes, limit: int) -> tuple[bytes, ...]:
    """Lines (without their ends) that the first text has and the second lacks, at most `limit`, in order."""
    mine, theirs = Text(text), Text(other)
    found = [
        mine.raw[number].rstrip()
        for place in diff(theirs.lines, mine.lines)
        for number in range(place.new_start, place.new_end)
        if mine.lines[number] and mine.counts[mine.lines[number]] > theirs.counts[mine.lines[number]]
    ]
    return tuple(found[:limit])


def added_lines(old: Text, mine: Text) -> tuple[bytes, ...]:
    """The telling normal lines that the second text has more often than the first."""
    # What both share at their ends cancels out, and in a long file that is nearly all.
    gone, come = unlike_middles(old.lines, mine.lines)
    before = Counter(gone)
    return tuple(line for line, count in Counter(come).items() if is_telling(line) and count > before[line])


def _telling(lines: Iterable[bytes]) -> tuple[bytes, ...]:
    """The telling lines; the short ones only when there are no others."""
    kept = [line for line in lines if line]
    return tuple(line for line in kept if is_telling(line)) or tuple(kept)


def _has_context(hunk: Made, old: Text, now: Text) -> bool:
    """Whether some of the old text around an insertion is there; if not, the whole stretch was rewritten."""
    start, end = hunk.place.old_start, hunk.place.old_end
    around = [*old.lines[max(0, start - _AROUND) : start], *old.lines[end : end + _AROUND]]
    telling = _telling(around)
    return not telling or any(line in now.counts for line in telling)


def _is_replaced(hunk: Made, later: list[Hunk], mine: Text, now: Text) -> bool:
    """Whether new text stands where an insertion stood: then it was rewritten, not undone.

    In the last stretch of a file the new text must repeat half of the words: two that append do not replace each other.
    """
    start, end = hunk.place.new_start, hunk.place.new_end
    new_lines = [
        number
        for place in later
        if place.old_start <= end and place.old_end >= start
        for first, last, new_first, new_last in _finely(place, mine, now)
        if first <= end and last >= start
        for number in range(new_first, new_last)
        if now.counts[now.lines[number]] > mine.counts[now.lines[number]]
    ]
    if not new_lines:
        return _is_said_elsewhere(mine.raw[start:end], later, mine, now)
    if any(is_telling(line) for line in now.lines[new_lines[-1] + 1 :]):
        return True
    return _repeated(mine.raw[start:end], (now.raw[number] for number in new_lines)) >= _RESEMBLES


def _is_said_elsewhere(lines: Sequence[bytes], later: list[Hunk], mine: Text, now: Text) -> bool:
    """Whether new text of the file repeats nearly every word of these lines: a comment that became a docstring."""
    if len(_WORD.findall(b"\n".join(lines))) < _FEW_WORDS:
        return False
    numbers = (number for place in later for number in range(place.new_start, place.new_end))
    fresh = (now.raw[number] for number in numbers if now.counts[now.lines[number]] > mine.counts[now.lines[number]])
    return _repeated(lines, fresh) >= _SAYS_THE_SAME


def _repeated(lines: Iterable[bytes], others: Iterable[bytes]) -> float:
    """The share of the words of some lines that others repeat."""
    words = Counter(_WORD.findall(b"\n".join(lines)))
    repeated = words & Counter(_WORD.findall(b"\n".join(others)))
    return repeated.total() / words.total() if words else 0.0


def _finely(place: Hunk, mine: Text, now: Text) -> list[Hunk]:
    """A stretch that differs as the single changes in it."""
    parts = fine_diff(mine.lines[place.old_start : place.old_end], now.lines[place.new_start : place.new_end])
    old, new = place.old_start, place.new_start
    return [Hunk(part[0] + old, part[1] + old, part[2] + new, part[3] + new) for part in parts]
