"""Between the guard's verdict and a unit's proof: what a unit's rules are, and what it keeps of a verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from unlost.facts.records import fields
from unlost.facts.words import ClaimState
from unlost.guard.facts import Author, Claim, Finding, Rules
from unlost.guard.verdict import Verdict
from unlost.plan.facts import Plan, Task
from unlost.plan.scope import is_explicit
from unlost.unit.proof import MAXIMUM_NAMED, ClaimCounts, LostPath, Proof

_COUNTED: Final[Mapping[ClaimState, str]] = {
    "moved": "moved",
    "superseded": "superseded",
    "extended": "extended",
    "reformatted": "standing",
    "elsewhere": "standing",
}
_WORDS: Final = frozenset(field.name for field in fields(ClaimCounts))


def unit_rules(plan: Plan, task: Task | None, attempt: int | None = None) -> Rules:
    """How a unit's claims are judged: whose attempt came between, and what a vanished untracked file is worth."""
    scope = plan.scope.paths if is_explicit(plan.scope) else ()
    author = None
    if task is not None:
        name = None if attempt is None else str(attempt)
        author = Author(task=task.id, attempt=name, paths=task.paths, reverts=task.reverts)
    return Rules(mode="unit", author=author, guarded={known.id: (*known.paths, *scope) for known in plan.tasks})


def proof_of(verdict: Verdict, claims: Iterable[Claim]) -> Proof:
    """What a unit keeps of a verdict over these claims."""
    losses = verdict.losses
    committed = verdict.committed
    return Proof(
        lost=tuple(_lost(finding) for finding in losses[:MAXIMUM_NAMED]),
        lost_count=len(losses),
        lost_objects=len(committed.lost_commits) + len(committed.lost_stashes),
        unproved=len(verdict.unproved),
        elsewhere=sum(finding.state == "elsewhere" for finding in verdict.findings),
        claims=counts_by_owner(claims, verdict.findings),
    )


def counts_by_owner(claims: Iterable[Claim], findings: Iterable[Finding]) -> dict[str, ClaimCounts]:
    """How the claims of each owner stand; a claim without a finding stands."""
    found = {finding.path: finding for finding in findings}
    counted: dict[str, Counter[str]] = {}
    for claim in claims:
        word = _word(found.get(claim.path), claim)
        counted.setdefault(claim.owner, Counter())[word] += 1
    return {
        owner: ClaimCounts(**{word: count for word, count in sorted(counts.items()) if word in _WORDS})
        for owner, counts in sorted(counted.items())
    }


def _word(finding: Finding | None, claim: Claim) -> str:
    if finding is None:
        return "lost" if claim.opened is not None else "standing"
    if finding.is_loss:
        return "lost"
    return "warnings" if finding.severity == "warning" else _COUNTED.get(finding.state, "standing")


def _lost(finding: Finding) -> LostPath:
    claim = finding.claim
    return LostPath(path=finding.path, state=finding.state, owner=claim.owner, boundary=claim.seen)
