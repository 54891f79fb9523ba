"""Claims that are read when somebody asks for one.

A person may keep thousands of untracked files for weeks. Every mark meets their claims, and nearly every one finds the
tree as it was: then their number is all that is asked for, and the rows of the cache go from one cache to the next as
they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from unlost.facts.records import replace
from unlost.guard.facts import Claim


class Tally(NamedTuple):
    """How many claims there are, how many of them are lost and neither back nor accepted, and whether all stood."""

    claims: int
    open_losses: int
    all_stood: bool


class LateClaims(Mapping[bytes, Claim]):
    """Claims by path, from rows that `read` takes apart; all of them stood.

    `rows` were proven to be whole by whoever gives them; `seen` is the boundary at which all were last found standing,
    whatever the rows say.
    """

    def __init__(self, rows: bytes, count: int, seen: int, read: Callable[[bytes], dict[bytes, Claim]]) -> None:
        self.rows = rows
        self.seen = seen
        self._count = count
        self._read = read

    def seen_at(self, boundary: int) -> LateClaims:
        """The same claims, found standing once more."""
        return LateClaims(self.rows, self._count, boundary, self._read)

    @cached_property
    def _claims(self) -> dict[bytes, Claim]:
        found = self._read(self.rows)
        return {
            path: claim if claim.seen == self.seen else replace(claim, seen=self.seen) for path, claim in found.items()
        }

    def __getitem__(self, path: bytes) -> Claim:
        return self._claims[path]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._claims)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, path: object) -> bool:
        return path in self._claims

    def __eq__(self, other: object) -> bool:
        return dict(self) == dict(other) if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # as of every mapping


def tally_of(claims: Mapping[bytes, Claim]) -> Tally:
    """The tally of claims, without reading those that need not be read."""
    if isinstance(claims, LateClaims):
        return Tally(len(claims), 0, all_stood=True)
    lost = sum(claim.opened is not None for claim in claims.values())
    return Tally(len(claims), lost, all_stood=all(claim.stood for claim in claims.values()))


def seen_at(claims: Mapping[bytes, Claim], boundary: int) -> Mapping[bytes, Claim]:
    """Claims that all stood, found standing once more at a boundary."""
    if isinstance(claims, LateClaims):
        return claims.seen_at(boundary)
    return {path: replace(claim, seen=boundary) for path, claim in claims.items()}
