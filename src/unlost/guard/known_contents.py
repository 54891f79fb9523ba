"""Which contents the boundaries brought: what is not among them never stood anywhere before.

Whether a file went back to an older version is asked of every changed claim at every boundary, and looking into the
trees of two hundred boundaries for each is what a verdict would spend its time on. Nearly every answer is no, and this
set gives it at once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import cached_property
from typing import Final

_WIDTH: Final = 8
_DIGITS: Final = 2 * _WIDTH
_MOST: Final = 1 << 16


class KnownContents:
    """A set of contents' ids that only grows, of which eight bytes each are kept: it may say yes too often, never no.

    Once it has more than 65,536 it is `full`, holds nothing and says yes to everything.
    """

    def __init__(self, data: bytes = b"", *, full: bool = False) -> None:
        self.data = data
        self.full = full

    def __contains__(self, oid: str) -> bool:
        return self.full or int(oid[:_DIGITS], 16) in self._numbers

    def grown(self, oids: Iterable[str]) -> KnownContents:
        """The set with these as well."""
        if self.full:
            return self
        fresh = {int(oid[:_DIGITS], 16) for oid in oids} - self._numbers
        if not fresh:
            return self
        data = self.data + struct.pack(f">{len(fresh)}Q", *sorted(fresh))
        return KnownContents(full=True) if len(data) > _MOST * _WIDTH else KnownContents(data)

    @cached_property
    def _numbers(self) -> frozenset[int]:
        return frozenset(struct.unpack(f">{len(self.data) // _WIDTH}Q", self.data))
