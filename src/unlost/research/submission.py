"""Submit a brief durably: intent, state, confirmation; acknowledged only after the last commit returned (R.20).

Used by the outbox and by the MCP tool alike. Nothing is ever replayed: a restart looks at what is stored
(`reconcile`) and leaves it at that.
"""

from __future__ import annotations

from unlost.facts.errors import UnlostError
from unlost.facts.records import dataclass
from unlost.host.crash import crash_point
from unlost.ledger.events import NewEvent
from unlost.ledger.protocol import Ledger
from unlost.research.brief import brief_digest, canonical_brief
from unlost.research.events import VOCABULARY, ResearchConfirmed, ResearchIntended, ResearchStored
from unlost.research.facts import Brief
from unlost.research.standing import ResearchStanding, fold_research


class SubmissionUnknown(UnlostError):
    """The store did not acknowledge the brief: it counts as not saved, and no earlier brief may be used either."""


@dataclass(frozen=True, kw_only=True)
class Acknowledgment:
    """A brief is stored; `text` is what the agent is told (R.22: a blocked decision is part of it)."""

    number: int
    digest: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Submission:
    """Where briefs of one research attempt go."""

    ledger: Ledger
    stream: str
    step: str
    attempt: str

    def submit(self, brief: Brief) -> Acknowledgment:
        """Store a parsed brief. Raises SubmissionUnknown when any of the three writes was not acknowledged."""
        digest = brief_digest(brief)
        try:
            number = self._standing().submissions + 1
            self._intend(brief, number, digest)
            crash_point("research.intended")
            self._write(ResearchStored(number=number, digest=digest), number, canonical_brief(brief))
            crash_point("research.stored")
            self._write(ResearchConfirmed(number=number, digest=digest, reconciled=False), number)
            crash_point("research.confirmed")
        except (UnlostError, OSError) as error:
            raise SubmissionUnknown(
                f"the brief was not acknowledged by the ledger ({error}); it is not saved",
                hint="submit it again",
            ) from error
        return Acknowledgment(number=number, digest=digest, text=_told(brief))

    def reconcile(self) -> ResearchStanding:
        """Confirm the latest submission when its exact state is stored; anything less stays unconfirmed (R.39)."""
        standing = self._standing()
        if not standing.reconcilable or standing.intent is None or standing.stored_at is None:
            return standing
        # Reading the body proves it against its digest: a missing or changed one raises StreamDamaged.
        self.ledger.body(self.stream, standing.stored_at)
        intent = standing.intent
        confirmation = ResearchConfirmed(number=intent.number, digest=intent.digest, reconciled=True)
        self._write(confirmation, intent.number)
        return self._standing()

    def _standing(self) -> ResearchStanding:
        return fold_research(self.ledger.read(self.stream))

    def _intend(self, brief: Brief, number: int, digest: str) -> None:
        intent = ResearchIntended(
            number=number,
            step=self.step,
            attempt=self.attempt,
            commit=brief.commit,
            digest=digest,
            readiness=brief.readiness,
        )
        self._write(intent, number)

    def _write(
        self, payload: ResearchIntended | ResearchStored | ResearchConfirmed, number: int, body: bytes | None = None
    ) -> None:
        name = type(payload).__name__.removeprefix("Research").lower()
        new: NewEvent = VOCABULARY.new(payload, key=f"research/{number}/{name}", body=body)
        self.ledger.append(self.stream, [new])


def _told(brief: Brief) -> str:
    if brief.is_ready:
        return "The brief is saved. It is ready: coding may start on it."
    return f"The brief is saved. It is blocked: no coding starts until a person decides: {brief.blocked_reason}"
