"""Prose that an agent left, on its way into a private body: redacted, cleaned, cut (decision 5)."""

from __future__ import annotations

from typing import Final

from unlost.engine.apart_ports import Investigated
from unlost.engine.step import Step
from unlost.facts.quoting import canonical_json, clean, cut, path_json

LIMIT: Final = 4_000
STDERR_LIMIT: Final = 16_000


def kept_text(step: Step, text: str, limit: int = LIMIT) -> str:
    """The text as it may be stored, at most `limit` bytes."""
    return cut(clean(step.hands.redact(text)), limit)


def apart_remains(step: Step, investigated: Investigated) -> bytes:
    """The private part of the end of an agent that worked apart: what it said of errors, what it wrote for nothing."""
    end = investigated.end
    return canonical_json(
        {
            "error": None if end.error is None else kept_text(step, end.error),
            "problems": [kept_text(step, problem) for problem in end.returned.problems],
            "discarded": [path_json(path) for path in investigated.discarded],
            "stderr": kept_text(step, end.stderr.decode("utf-8", "replace"), STDERR_LIMIT),
        }
    )
