"""What the ledger keeps: events on their way in, and as they are stored.

A stream (`u-…` for a unit, `w-…` for a workspace) is a numbered list of events. Facts are public: ids, counts,
digests, names. Prose, prompts and file contents go into the *body*, which is stored apart, never listed, and
bound to the event by sha256 and size (decision 7).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from unlost.facts.quoting import canonical_json
from unlost.facts.records import dataclass, field

Facts = Mapping[str, Any]
"""A JSON object: text keys, and values of text, numbers, booleans, null, lists and objects."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewEvent:
    """An event to append; `key` is unique in its stream, which is what makes appending it twice harmless."""

    kind: str
    key: str
    facts: Facts = field(default_factory=dict)
    body: bytes | None = None
    version: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """A stored event; `sequence` counts from 1 without gaps, `at` is in seconds since 1970."""

    stream: str
    sequence: int
    kind: str
    key: str
    version: int
    at: float
    facts: Facts
    body_digest: str | None
    body_size: int | None
    digest: str


def facts_text(facts: Facts) -> str:
    """The one text form of facts, as it is stored and digested; raises ValueError for what JSON cannot hold."""
    try:
        return canonical_json(facts).decode("ascii")
    except TypeError as error:
        raise ValueError(f"facts must be JSON: {error}") from error


def digest_of_body(body: bytes | None) -> str | None:
    """The sha256 of a body as hex; None when there is none."""
    return None if body is None else hashlib.sha256(body).hexdigest()
