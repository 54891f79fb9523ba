"""What a submission of research writes into its unit's stream: intent, state, confirmation."""

from __future__ import annotations

from typing import Final

from unlost.facts.records import dataclass
from unlost.ledger.payload import Declared, Vocabulary
from unlost.research.facts import Readiness


@dataclass(frozen=True, kw_only=True)
class ResearchIntended:
    """A valid brief is about to be stored: from here on no earlier brief of the unit may be used (R.36, R.37).

    `number` counts the submissions of the unit from 1.
    """

    number: int
    step: str
    attempt: str
    commit: str
    digest: str
    readiness: Readiness


@dataclass(frozen=True, kw_only=True)
class ResearchStored:
    """The state write: the event's private body is the canonical brief (R.43)."""

    number: int
    digest: str


@dataclass(frozen=True, kw_only=True)
class ResearchConfirmed:
    """The store acknowledged the state of this submission; `reconciled` when a restart found that out (R.39)."""

    number: int
    digest: str
    reconciled: bool


KINDS: Final = {
    "research.intended": Declared(payload=ResearchIntended),
    "research.stored": Declared(payload=ResearchStored),
    "research.confirmed": Declared(payload=ResearchConfirmed),
}
VOCABULARY: Final = Vocabulary(KINDS)
