"""The one brief of a unit that may be used, read back from the ledger as the exact artifact that was stored."""

from __future__ import annotations

from unlost.ledger.protocol import Ledger, StreamDamaged
from unlost.research.brief import brief_digest, parse_brief
from unlost.research.facts import Brief
from unlost.research.standing import ResearchStanding


def stored_brief(ledger: Ledger, stream: str, standing: ResearchStanding) -> Brief | None:
    """The brief of the standing's exportable submission; None when nothing may be exported (R.38, R.43).

    Raises StreamDamaged when what is stored is not what was submitted.
    """
    intent = standing.exportable
    if intent is None or standing.stored_at is None:
        return None
    body = ledger.body(stream, standing.stored_at)
    if body is None:
        raise StreamDamaged(stream, f"event {standing.stored_at} has lost its brief")
    brief = parse_brief(body, redact=_as_it_is)
    if brief_digest(brief) != intent.digest:
        raise StreamDamaged(stream, f"the brief of event {standing.stored_at} is not the one that was submitted")
    return brief


def _as_it_is(text: str) -> str:
    """What is stored was redacted before it was stored."""
    return text
