"""Prose that an agent left, on its way into a private body: redacted, cleaned, cut (decision 5)."""

from __future__ import annotations

from typing import Final

from unlost.engine.step import Step
from unlost.facts.quoting import clean, cut

LIMIT: Final = 4_000
STDERR_LIMIT: Final = 16_000


def kept_text(step: Step, text: str, limit: int = LIMIT) -> str:
    """The text as it may be stored, at most `limit` bytes."""
    return cut(clean(step.hands.redact(text)), limit)
