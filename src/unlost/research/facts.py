"""The brief as a fact: what a read-only investigation found out, bound to a commit.

A brief is advice. Its claims are unverified, it replaces neither the plan nor the requester's words, and it
permits nothing (R.7, R.8).
"""

from __future__ import annotations

from typing import Final, Literal

from unlost.facts.records import dataclass

SCHEMA: Final = "unlost.brief/1"
MAXIMUM_BRIEF: Final = 8 * 1024
"""Bytes of the canonical UTF-8 form, measured after redaction, which can lengthen a text (R.2)."""

Complexity = Literal["simple", "moderate", "complex"]
Readiness = Literal["ready", "blocked"]


@dataclass(frozen=True, kw_only=True)
class Source:
    """Something the research looked at.

    `kind` is `file` (a path at the brief's commit), `url`, `run` (a unit or attempt id), or any other word for
    what unlost cannot look up itself.
    """

    id: str
    kind: str
    ref: str


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One claim and the id of the source it rests on."""

    claim: str
    source: str


@dataclass(frozen=True, kw_only=True)
class Brief:
    """A whole brief; `commit` is the full id of the inspected commit, `blocked_reason` stands only when blocked."""

    goal: str
    commit: str
    complexity: Complexity
    readiness: Readiness
    evidence: tuple[Evidence, ...]
    sources: tuple[Source, ...]
    assumptions: tuple[str, ...]
    unknowns: tuple[str, ...]
    approach: tuple[str, ...]
    verification: tuple[str, ...]
    blocked_reason: str | None

    @property
    def is_ready(self) -> bool:
        """Whether coding may start on it without a person's answer."""
        return self.readiness == "ready"
