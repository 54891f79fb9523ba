"""The verdict at a moment: claims, committed work, and how both are told.

Most moments find everything as it was at the last boundary. That is seen at a glance, and who judges what does not
simply stand is opened only where something does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from unlost.facts.records import dataclass
from unlost.facts.words import ClaimState, VerdictWord
from unlost.guard.claims import IsScratch
from unlost.guard.committed_facts import Committed
from unlost.guard.facts import Claims, Finding, Present, Rules
from unlost.guard.late_claims import tally_of
from unlost.guard.sight import Evidence, Sight, TreeReader
from unlost.host.doors import open_door

JUDGES: Final[Mapping[str, str]] = {"claims": "unlost.guard.judge", "committed": "unlost.guard.committed"}
"""Who judges claims, and who committed work."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What became of everything; each claimed path is in one finding, or counted in `standing`."""

    findings: tuple[Finding, ...]
    standing: int
    committed: Committed

    @property
    def losses(self) -> tuple[Finding, ...]:
        """Lost claims, and paths lost with their commit, in bytewise order."""
        return tuple(finding for finding in self.findings if finding.is_loss)

    @property
    def is_loss(self) -> bool:
        """Whether a path, a commit or a stash is lost: exit code 4."""
        return bool(self.losses or self.committed.lost_commits or self.committed.lost_stashes)

    @property
    def word(self) -> VerdictWord:
        """The verdict in one word: a loss before anything else, then what could not be read."""
        if self.is_loss:
            return "loss"
        return "incomplete" if self.unproved else "ok"

    @property
    def unproved(self) -> tuple[Finding, ...]:
        """Claims whose path could not be read."""
        return tuple(finding for finding in self.findings if finding.severity == "unproved")

    def of(self, *states: ClaimState) -> tuple[Finding, ...]:
        """The findings in these states that are fine."""
        return tuple(finding for finding in self.findings if finding.severity == "ok" and finding.state in states)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """Claims that a person may want to look at."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")


def prove(
    claims: Claims,
    present: Present,
    *,
    reader: TreeReader,
    evidence: Evidence,
    rules: Rules,
    history_moved: bool,
    is_scratch: IsScratch,
) -> Verdict:
    """Re-prove everything since the last boundary against the present.

    `history_moved` tells whether HEAD, refs or the stash differ from then; only then are commits and stashes asked
    for. Raises what reader and evidence raise.
    """
    if not history_moved and everything_stands(claims, present):
        return Verdict(findings=(), standing=len(claims.by_path), committed=Committed())
    judged = open_door(JUDGES, "claims").judge(
        claims, present, reader=reader, evidence=evidence, rules=rules, is_scratch=is_scratch
    )
    committed: Committed = open_door(JUDGES, "committed").judge_committed(
        claims, judged.changes, present, Sight(reader, evidence), history_moved=history_moved
    )
    findings = sorted(_without_overlap(judged.findings, committed.lost), key=lambda finding: finding.path)
    return Verdict(findings=tuple(findings), standing=judged.standing, committed=committed)


def everything_stands(claims: Claims, present: Present) -> bool:
    """Whether the tree is the last boundary's to the byte, and no claim had anything to be said of it there."""
    last = claims.last
    if last is None:
        return True
    if (last.tree, last.private) != (present.tree, present.private):
        return False
    return tally_of(claims.by_path).all_stood and not _hides_a_claim(present, claims)


def _hides_a_claim(present: Present, claims: Claims) -> bool:
    return bool(present.unread) and any(present.why_unread(path) is not None for path in claims.by_path)


def _without_overlap(findings: Iterable[Finding], lost: Iterable[Finding]) -> list[Finding]:
    by_path = {finding.path: finding for finding in lost}
    return [*by_path.values(), *(finding for finding in findings if finding.path not in by_path)]
