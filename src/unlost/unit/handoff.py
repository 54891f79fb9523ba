"""What an attempt handed over, as the record of its unit tells it."""

from __future__ import annotations

from unlost.facts.records import dataclass
from unlost.unit.handoff_events import HandoffTaken, HandoffVerified


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffRecord:
    """One handoff so far. `body`, `tried_at` and `gated_at` are sequences of events; 0: it never was.

    `body`: whose body holds the handoff. `verified` is the newest look, `looks` counts them. `restoring`: paths that
    are being put back, `tried_at` the end of the last such try, `restored` what all of them brought back. `gated_at`:
    when the unit last waited for a person because of it.
    """

    taken: HandoffTaken
    body: int
    verified: HandoffVerified | None = None
    looks: int = 0
    restoring: tuple[bytes, ...] | None = None
    tries: int = 0
    tried_at: int = 0
    restored: tuple[bytes, ...] = ()
    gated_at: int = 0

    def is_waived(self, resumed_at: int) -> bool:
        """Whether a person was told what can be brought back, after the last try, and resumed since."""
        return self.tried_at < self.gated_at < resumed_at
