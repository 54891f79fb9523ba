"""What is asked of boundaries, and what comes back."""

from __future__ import annotations

from unlost.facts.records import dataclass
from unlost.facts.words import BoundaryKind
from unlost.guard.facts import Boundary, Claims, Present
from unlost.guard.verdict import Verdict
from unlost.plain.moment import Moment
from unlost.plain.record import Told
from unlost.snapshot.facts import Snapshot, Surroundings


@dataclass(frozen=True, kw_only=True)
class Order:
    """A boundary to take. `key` names it for ever: asked again with it, the stored boundary comes back."""

    kind: BoundaryKind
    key: str | None = None
    label: str = ""
    unit: str | None = None
    task: str | None = None
    attempt: str | None = None
    opened_by: int | None = None


@dataclass(frozen=True, kw_only=True)
class Proven:
    """A verdict with what it was made from; `snapshot` is None when the root is gone."""

    told: Told
    snapshot: Snapshot | None
    present: Present
    now: Surroundings
    before: Moment
    verdict: Verdict

    @property
    def has_boundary(self) -> bool:
        """Whether there was anything to prove."""
        return self.claims.last is not None

    @property
    def claims(self) -> Claims:
        """The claims that were proved."""
        return self.told.claims


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A boundary on record, the claims from it on, and the verdict of it; None for one that was on record already."""

    boundary: Boundary
    claims: Claims
    proven: Proven | None
