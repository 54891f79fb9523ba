"""What became of every claim in one captured tree: the part of a verdict that a unit keeps on record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from unlost.facts.records import dataclass
from unlost.facts.words import ClaimState
from unlost.unit.terms import BlockReason

MAXIMUM_NAMED: Final = 200
"""How many paths an event names at most; its counts are always whole."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimCounts:
    """How the claims of one owner stood at a boundary."""

    standing: int = 0
    moved: int = 0
    superseded: int = 0
    extended: int = 0
    warnings: int = 0
    lost: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class LostPath:
    """One claim that had fallen at a boundary; `boundary` is the number of the last one where it stood."""

    path: bytes
    state: ClaimState
    owner: str
    boundary: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Proof:
    """What became of every claim in one captured tree.

    `lost` names at most `MAXIMUM_NAMED` of `lost_count`. `lost_objects` counts commits and stash entries that nothing
    reaches any more and whose content stands nowhere live.
    """

    lost: tuple[LostPath, ...] = ()
    lost_count: int = 0
    lost_objects: int = 0
    unproved: int = 0
    elsewhere: int = 0
    claims: Mapping[str, ClaimCounts]

    @property
    def is_loss(self) -> bool:
        """Whether work is lost."""
        return bool(self.lost_count or self.lost_objects)

    @property
    def trouble(self) -> BlockReason | None:
        """Why the unit may not go on from this tree; None when every claim stands or is explained."""
        if self.is_loss:
            return "loss"
        if self.unproved:
            return "unproved"
        return "head_moved" if self.elsewhere else None
