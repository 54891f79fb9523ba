"""Does a text hold a fix? Decided from both of its texts and where they occur around the anchor (H.11, H.15).

"`after` is in the file" is not enough: a trimmed line's `after` lies inside its `before`, an insertion's `before`
lies inside its `after`, a deletion has no `after` at all, and either text may stand elsewhere in the file as well.
So occurrences that lie inside one of the other text do not count, and where both remain the anchor decides.
Pure; texts are bytes, line ends do not matter unless they are what the fix changes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final, Literal

from unlost.facts.records import dataclass
from unlost.handoff.facts import ExactFix

Standing = Literal["applied", "open", "neither"]
"""applied: `after` stands. open: `before` stands, or what it waits for does. neither: the text went another way."""

_Span = tuple[int, int]
_MOST_OCCURRENCES: Final = 1000
_MOST_LOOKS: Final = 20_000
"""Places that one search looks at: `a` in a megabyte of `a` must not take minutes."""
_MOST_ANCHORS: Final = 8
_NEAR: Final = 2000
"""Bytes, some forty lines: a short text this near to the anchor is the one that the fix is about."""
_TELLING: Final = 20
"""Bytes of text that are unlikely to stand somewhere by chance."""
_LINKING: Final = 6
"""Bytes that two fixes of one worker must share before one is taken to build on the other."""
_AHEAD: Final = 8
"""Text ahead of the anchor counts as this many times as far: an anchor is a heading far more often than a footer."""


@dataclass(frozen=True)
class Wording:
    """The three texts of a fix as bytes, line ends made equal unless they are what it changes."""

    anchor: bytes
    before: bytes
    after: bytes
    keeps_line_ends: bool = False

    @classmethod
    def of(cls, fix: ExactFix) -> Wording:
        """The wording of a fix."""
        anchor, before, after = (
            text.encode("utf-8", "surrogateescape") for text in (fix.anchor, fix.before, fix.after)
        )
        if before != after and _with_plain_ends(before) == _with_plain_ends(after):
            return cls(anchor, before, after, keeps_line_ends=True)
        return cls(_with_plain_ends(anchor), _with_plain_ends(before), _with_plain_ends(after))


@dataclass(frozen=True)
class Body:
    """A file's content in the forms that comparing asks for, each made once."""

    data: bytes

    @cached_property
    def raw(self) -> bytes:
        """As it is, with a last newline: a fix that ends in one must fit the end of the file."""
        return self.data if not self.data or self.data.endswith(b"\n") else self.data + b"\n"

    @cached_property
    def plain(self) -> bytes:
        """With a newline for every line end."""
        return _with_plain_ends(self.raw)

    def seen_by(self, wording: Wording) -> bytes:
        """The form in which a fix is looked for."""
        return self.raw if wording.keeps_line_ends else self.plain


def classify_file(body: Body, wordings: Sequence[Wording]) -> tuple[Standing, ...]:
    """How each of a file's fixes stands in it. The result does not depend on the order of the fixes.

    Fixes of one worker build on one another: one whose `after` another applied fix rewrote counts as applied,
    and one whose `before` only an open fix brings about counts as open.
    """
    found = [classify(body, wording) for wording in wordings]
    _spread(found, wordings, "applied")
    _spread(found, wordings, "open")
    return tuple(found)


def classify(body: Body, wording: Wording) -> Standing:
    """How one fix stands in a text, looked at alone."""
    text = body.seen_by(wording)
    after, before = _both(text, wording)
    if not wording.after or not wording.before:
        return _one_sided(text, wording, after or before)
    if wording.after == wording.before:
        return "applied" if after else "neither"
    free_after, free_before = _outside(after, before), _outside(before, after)
    if free_after and free_before:
        return _nearer(text, wording.anchor, free_after, free_before)
    if free_after:
        return "applied"
    return "open" if free_before else "neither"


def _both(text: bytes, wording: Wording) -> tuple[list[_Span], list[_Span]]:
    """Where `after` and `before` occur: as whole words, and only when neither does so, inside words too."""
    for whole_words in (True, False):
        after = list(_find(text, wording.after, whole_words=whole_words))
        before = list(_find(text, wording.before, whole_words=whole_words))
        if after or before:
            return after, before
    return [], []


def _one_sided(text: bytes, wording: Wording, spans: list[_Span]) -> Standing:
    """A fix that only adds or only removes: its other text is empty, and an empty text is found anywhere."""
    one = wording.after or wording.before
    anchors = _anchors(text, wording.anchor)
    there = bool(spans) and (
        not anchors or len(one.strip()) >= _TELLING or min(_gap(span, anchors) for span in spans) <= _NEAR
    )
    anchored = bool(anchors) or not wording.anchor
    if not one:
        return "applied" if anchored else "neither"
    if wording.after:
        placeable = bool(anchors) or not text.strip()
        return "applied" if there else "open" if placeable else "neither"
    if there:
        return "open"
    # The anchor may have been part of what was deleted.
    return "applied" if anchored or wording.anchor in wording.before else "neither"


def _nearer(text: bytes, anchor: bytes, after: list[_Span], before: list[_Span]) -> Standing:
    """Both texts occur: the one nearer to the anchor counts; without an anchor the fix is still to be made."""
    anchors = _anchors(text, anchor)
    if not anchors:
        return "open"
    to_after = min(_gap(span, anchors) for span in after)
    to_before = min(_gap(span, anchors) for span in before)
    return "applied" if (to_after, after[0]) < (to_before, before[0]) else "open"


def _anchors(text: bytes, anchor: bytes) -> list[_Span]:
    found = list(_find(text, anchor, whole_words=True)) or list(_find(text, anchor, whole_words=False))
    return found[:_MOST_ANCHORS]


def _gap(span: _Span, anchors: list[_Span]) -> int:
    """How far a span is from the nearest anchor; 0 when they touch."""
    return min(max(span[0] - anchor[1], (anchor[0] - span[1]) * _AHEAD, 0) for anchor in anchors)


def _find(text: bytes, part: bytes, *, whole_words: bool) -> Iterator[_Span]:
    """Every occurrence of a text that is not empty, overlapping ones too, up to a bound."""
    place, found = text.find(part) if part else -1, 0
    for _ in range(_MOST_LOOKS):
        if place < 0 or found == _MOST_OCCURRENCES:
            return
        end = place + len(part)
        if not whole_words or not (_splits_word(text, place) or _splits_word(text, end)):
            yield place, end
            found += 1
        place = text.find(part, place + 1)


def _splits_word(text: bytes, place: int) -> bool:
    """Whether a word goes on across this place: `x = 1` is not the start of `x = 12`."""
    return 0 < place < len(text) and _in_word(text[place - 1]) and _in_word(text[place])


def _in_word(byte: int) -> bool:
    return byte == ord("_") or byte >= 0x80 or chr(byte).isalnum()


def _outside(spans: list[_Span], others: list[_Span]) -> list[_Span]:
    """The spans that do not lie inside one of the others; all others are of one width, and sorted."""
    if not others:
        return spans
    width = others[0][1] - others[0][0]
    starts = [start for start, _ in others]
    free = []
    for start, end in spans:
        first = bisect_left(starts, end - width)
        if first == len(starts) or starts[first] > start:
            free.append((start, end))
    return free


def _spread(found: list[Standing], wordings: Sequence[Wording], answer: Literal["applied", "open"]) -> None:
    """Hand an answer on to fixes that stand nowhere themselves but are linked to one that has it."""
    waiting = [index for index, standing in enumerate(found) if standing == "neither"]
    sources = [index for index, standing in enumerate(found) if standing == answer]
    while sources and waiting:
        source = wordings[sources.pop()]
        if answer == "applied":
            reached = [index for index in waiting if _builds_on(source, wordings[index])]
        else:
            reached = [index for index in waiting if _builds_on(wordings[index], source)]
        for index in reached:
            found[index] = answer
        waiting = [index for index in waiting if index not in reached]
        sources += reached


def _builds_on(later: Wording, earlier: Wording) -> bool:
    """Whether one fix's `before` is about the text that another's `after` made."""
    made, used = earlier.after, later.before
    return min(len(made.strip()), len(used.strip())) >= _LINKING and (made in used or used in made)


def _with_plain_ends(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")
