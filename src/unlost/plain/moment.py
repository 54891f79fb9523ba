"""What the user's repository looked like at a boundary."""

from __future__ import annotations

from unlost.facts.records import dataclass
from unlost.guard.facts import LostObject
from unlost.snapshot.facts import Surroundings


@dataclass(frozen=True, kw_only=True)
class Moment:
    """What the repository looked like at a boundary (`at`, seconds since 1970), and what had been lost by then."""

    surroundings: Surroundings
    at: float = 0.0
    lost_commits: tuple[LostObject, ...] = ()
    lost_stashes: tuple[LostObject, ...] = ()

    @property
    def tips(self) -> frozenset[str]:
        """HEAD and every ref."""
        return frozenset(oid for oid in (self.surroundings.head, *self.surroundings.refs.values()) if oid)
