"""The two object formats of git: how an id is made and how long it is."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from unlost.facts.errors import UnlostError
from unlost.facts.records import dataclass

if TYPE_CHECKING:
    from hashlib import _Hash


@dataclass(frozen=True, kw_only=True)
class ObjectFormat:
    """`name` as git spells it; `width` in bytes of a raw id."""

    name: str
    width: int

    def new(self, data: bytes = b"") -> _Hash:
        """A fresh hash. It names content; it protects nothing."""
        return hashlib.new(self.name, data, usedforsecurity=False)

    def name_of(self, kind: bytes, data: bytes) -> str:
        """The id of an object with this content."""
        return self.new(b"%b %d\0%b" % (kind, len(data), data)).hexdigest()

    @property
    def empty_tree(self) -> str:
        """The id of the tree that holds nothing."""
        return self.name_of(b"tree", b"")


SHA1: Final = ObjectFormat(name="sha1", width=20)
SHA256: Final = ObjectFormat(name="sha256", width=32)


def object_format(name: str) -> ObjectFormat:
    """The format of that name. Raises UnlostError for one that git may have learned since."""
    for known in (SHA1, SHA256):
        if known.name == name:
            return known
    raise UnlostError(f"the object format {name!r} is not known")


def format_of(oid: str) -> ObjectFormat:
    """The format that an id of this length belongs to."""
    return SHA1 if len(oid) == 2 * SHA1.width else SHA256
