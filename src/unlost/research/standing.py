"""Which brief of a unit may be used: a fold over its submissions (pure).

The latest intent decides alone. Until its own state is stored and confirmed nothing may be exported, whatever
was confirmed before: uncertainty never restores an earlier readiness (R.36 to R.39).
"""

from __future__ import annotations

from collections.abc import Iterable

from unlost.facts.records import dataclass
from unlost.ledger.events import Event
from unlost.research.events import KINDS, VOCABULARY, ResearchConfirmed, ResearchIntended, ResearchStored


@dataclass(frozen=True, kw_only=True)
class ResearchStanding:
    """Where the submissions of a unit stand.

    `stored_at` is the ledger sequence whose private body is the latest submission's state, None when there is none
    that matches; `confirmed` says that the store acknowledged exactly that state.
    """

    intent: ResearchIntended | None = None
    stored_at: int | None = None
    confirmed: bool = False

    @property
    def submissions(self) -> int:
        """How many submissions were begun."""
        return 0 if self.intent is None else self.intent.number

    @property
    def exportable(self) -> ResearchIntended | None:
        """The submission whose brief may be used, None when none may."""
        return self.intent if self.confirmed and self.stored_at is not None else None

    @property
    def reconcilable(self) -> bool:
        """Whether the latest submission's state is stored though nobody heard of it."""
        return self.stored_at is not None and not self.confirmed


def fold_research(events: Iterable[Event]) -> ResearchStanding:
    """The standing after these events of one unit's stream; events of other rooms are passed over."""
    standing = ResearchStanding()
    for event in events:
        if event.kind in KINDS:
            standing = with_event(standing, event)
    return standing


def with_event(standing: ResearchStanding, event: Event) -> ResearchStanding:
    """The standing after one more event of a submission."""
    payload = VOCABULARY.payload(event)
    intent = standing.intent
    if isinstance(payload, ResearchIntended):
        return ResearchStanding(intent=payload)
    if intent is None or (payload.number, payload.digest) != (intent.number, intent.digest):
        # A late write of an earlier submission, or of another brief: it proves nothing about the latest intent.
        return standing
    if isinstance(payload, ResearchStored) and event.body_digest == intent.digest:
        return ResearchStanding(intent=intent, stored_at=event.sequence)
    if isinstance(payload, ResearchConfirmed) and standing.stored_at is not None:
        return ResearchStanding(intent=intent, stored_at=standing.stored_at, confirmed=True)
    return standing
