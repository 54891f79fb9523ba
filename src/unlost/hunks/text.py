"""Text as verdicts read it: lines in a normal form that no formatter changes.

*Normalisation* puts aside white space, line ends, quote style, line breaks and the commas and semicolons that
formatters add and drop (design.md, section 5). Everything here is a pure function of bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from itertools import accumulate
from typing import Final

from unlost.facts.records import dataclass

_QUOTES: Final = bytes.maketrans(b'"`', b"''")
_PUT_ASIDE: Final = b" \t\r\f\v,;"
_BRACKETS: Final = b"()"
_WORD: Final = re.compile(rb"[\w\x80-\xff]+")
_BINARY_PROBE: Final = 8000
_FEW: Final = 2
"""Normal lines this short (`}`, `):`) say nothing about whose they are."""


def is_binary(data: bytes) -> bool:
    """Whether git would call this binary: a NUL among the first 8000 bytes."""
    return b"\0" in data[:_BINARY_PROBE]


def normal_lines(data: bytes) -> list[bytes]:
    """The lines in normal form; a blank line is empty, and an empty text has no line."""
    lines = data.translate(_QUOTES, _PUT_ASIDE).split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def exact_lines(data: bytes) -> list[bytes]:
    """The lines with their ends: joined they are the text again."""
    return data.splitlines(keepends=True)


def is_telling(line: bytes) -> bool:
    """Whether a normal line is long enough to be recognised elsewhere."""
    return len(line) > _FEW


@dataclass(frozen=True)
class Text:
    """One text with what comparing asks of it, each computed once."""

    data: bytes

    @cached_property
    def raw(self) -> list[bytes]:
        """Lines as written, without their newline; each stands at the same place as in `lines`."""
        return self.data.split(b"\n")

    @cached_property
    def lines(self) -> list[bytes]:
        """Lines in normal form."""
        return normal_lines(self.data)

    @cached_property
    def counts(self) -> Counter[bytes]:
        """How often each normal line occurs."""
        return Counter(self.lines)

    @cached_property
    def joined(self) -> bytes:
        """All lines without their breaks: equal for two texts that a formatter only wrapped differently."""
        return b"".join(self.lines)

    @cached_property
    def loose(self) -> bytes:
        """`joined` without round brackets, which formatters add around what they wrap."""
        return self.joined.translate(None, _BRACKETS)

    @cached_property
    def _borders(self) -> frozenset[int]:
        """Where lines begin in `joined`, and its end."""
        return frozenset(accumulate((len(line) for line in self.lines), initial=0))

    def whole(self, line: bytes) -> int:
        """How often a normal line stands here as it is, or wrapped: as the whole of neighbouring lines."""
        count = self.counts[line]
        if count or not is_telling(line):
            return count
        position = self.joined.find(line)
        while position >= 0:
            count += position in self._borders and position + len(line) in self._borders
            position = self.joined.find(line, position + 1)
        return count

    def holds_more_of(self, line: bytes, other: Text) -> bool:
        """Whether a normal line occurs here more often than in another text.

        A telling line also counts where a formatter wrapped it, joined it to others or put brackets around parts.
        """
        if self.counts[line] > other.counts[line]:
            return True
        if not is_telling(line):
            return False
        # Most lines that are asked about are gone, and with them their longest word: no bracket divides a word.
        if max(_WORD.findall(line), key=len, default=b"") not in self.joined:
            return False
        if self.joined.count(line) > other.joined.count(line):
            return True
        bare = line.translate(None, _BRACKETS)
        return is_telling(bare) and self.loose.count(bare) > other.loose.count(bare)
