"""The research step of a unit as its record tells it."""

from __future__ import annotations

from unlost.attempt.facts import OURS
from unlost.facts.records import dataclass, field
from unlost.research.standing import ResearchStanding
from unlost.unit.lease import Spent
from unlost.unit.research_events import ResearchEnded, ResearchOpened, ResearchSettled


@dataclass(frozen=True, kw_only=True, slots=True)
class ResearchRecord:
    """The newest research attempt of a unit, and what all of them used.

    `prompt`, `ended_at`, `settled_at` are sequences of events. `own` are the snapshots that this unit's own coding
    attempts left, in their order: heads that they moved to are the unit's recorded progress (R.33).
    """

    opened: ResearchOpened
    prompt: int
    ended: ResearchEnded | None = None
    ended_at: int = 0
    settled: ResearchSettled | None = None
    settled_at: int = 0
    standing: ResearchStanding = field(default_factory=ResearchStanding)
    used: Spent = field(default_factory=Spent)
    own: tuple[str, ...] = ()

    @property
    def number(self) -> int:
        """Its number within the unit, from 1."""
        return self.opened.number

    @property
    def identity(self) -> str:
        """The attempt that a brief must come from."""
        return self.opened.tag.attempt

    @property
    def submitted(self) -> bool:
        """Whether this attempt began to submit a brief, however far it came."""
        intent = self.standing.intent
        return intent is not None and intent.attempt == self.identity

    @property
    def is_usable(self) -> bool:
        """Whether it came to a brief; a blocked one still needs its answer."""
        return self.settled is not None and self.settled.result != "failed"

    def may_repeat(self, revision: int) -> bool:
        """Whether another researcher may be started.

        One that a crash or stop of ours, or a limit, ended before it had said anything proves nothing; one that
        failed is followed by another only in a later revision, on a person's word. After a usable brief there is no
        second one (R.18).
        """
        if self.settled is not None:
            return self.settled.result == "failed" and self.opened.revision != revision
        ended = self.ended
        excused = ended is not None and (ended.reason in OURS or ended.limit is not None)
        return ended is not None and excused and not ended.brief and not self.submitted
