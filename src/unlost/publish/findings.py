"""Findings as facts: what a reader of a diff, agent or person, says is wrong with it (`unlost.findings/1`).

Findings are data. They start a coding round because the plan asked for review; they permit nothing, and a round's
prompt carries them behind a fence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Final, Literal

from unlost.facts.quoting import canonical_json, path_json, path_literal
from unlost.facts.records import dataclass

SCHEMA: Final = "unlost.findings/1"
MAXIMUM_FINDINGS: Final = 50
MAXIMUM_BYTES: Final = 64 * 1024
"""Bytes of the canonical form, measured after redaction."""
MAXIMUM_WHAT: Final = 500
MAXIMUM_WHY: Final = 2_000
MAXIMUM_LINE: Final = 10_000_000

FindingSeverity = Literal["error", "warning", "note"]
"""`error`: it is wrong. `warning`: it will be. `note`: for people alone, no coding round is paid for it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One finding. `lines` are the first and the last one it is about, from 1; None: the whole file."""

    file: bytes
    lines: tuple[int, int] | None
    severity: FindingSeverity
    what: str
    why: str

    @property
    def is_actionable(self) -> bool:
        """Whether somebody has to do something about it."""
        return self.severity != "note"


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings:
    """All findings of one review, in the reader's order; empty: nothing is wrong."""

    findings: tuple[Finding, ...] = ()

    @property
    def actionable(self) -> tuple[Finding, ...]:
        """Those that a coding round is for."""
        return tuple(finding for finding in self.findings if finding.is_actionable)

    @property
    def files(self) -> tuple[bytes, ...]:
        """The files that the actionable ones name, bytewise."""
        return tuple(sorted({finding.file for finding in self.actionable}))


def findings_json(findings: Findings) -> dict[str, Any]:
    """The JSON object of a findings file."""
    return {"schema": SCHEMA, "findings": [_json(finding) for finding in findings.findings]}


def canonical_findings(findings: Findings) -> bytes:
    """The one byte form of findings, which their digest is made of."""
    return canonical_json(findings_json(findings))


def findings_digest(findings: Findings) -> str:
    """The sha256 of the canonical form as hex."""
    return hashlib.sha256(canonical_findings(findings)).hexdigest()


def complaint_of(findings: Findings) -> str:
    """What the actionable findings complain of, as a digest that stays when only lines, order or reasons change.

    Two reviews in a row with the same complaint: the round between them helped nothing.
    """
    told = sorted({(_name(finding), finding.severity, _plain(finding.what)) for finding in findings.actionable})
    return hashlib.sha256(canonical_json(told)).hexdigest()


def findings_text(findings: Findings | Iterable[Finding]) -> str:
    """Findings to read, one block each: place, severity, what, why."""
    found = findings.findings if isinstance(findings, Findings) else findings
    return "\n".join(_told(number, finding) for number, finding in enumerate(found, 1))


def _told(number: int, finding: Finding) -> str:
    place = path_of(finding)
    return f"{number}. {place}  {finding.severity}\n   {_indented(finding.what)}\n   why: {_indented(finding.why)}"


def path_of(finding: Finding) -> str:
    """`"src/a.py" lines 3 to 5`: the place of a finding, its name as an ASCII JSON string."""
    if finding.lines is None:
        return _name(finding)
    first, last = finding.lines
    return f"{_name(finding)} line {first}" if first == last else f"{_name(finding)} lines {first} to {last}"


def _name(finding: Finding) -> str:
    return path_literal(finding.file)


def _indented(text: str) -> str:
    return text.replace("\n", "\n   ")


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".")


def _json(finding: Finding) -> dict[str, Any]:
    return {
        "file": path_json(finding.file),
        "lines": None if finding.lines is None else list(finding.lines),
        "severity": finding.severity,
        "what": finding.what,
        "why": finding.why,
    }
