"""The verdict at a moment: claims, committed work, and how both are told."""

from __future__ import annotations

from collections.abc import Iterable

from unlost.facts.records import dataclass
from unlost.facts.words import ClaimState, VerdictWord
from unlost.guard.claims import IsScratch
from unlost.guard.committed import Committed, judge_committed
from unlost.guard.facts import Claims, Finding, Present, Rules
from unlost.guard.judge import judge
from unlost.guard.sight import Evidence, Sight, TreeReader


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
    judged = judge(claims, present, reader=reader, evidence=evidence, rules=rules, is_scratch=is_scratch)
    committed = judge_committed(claims, judged.changes, present, Sight(reader, evidence), history_moved=history_moved)
    findings = sorted(_without_overlap(judged.findings, committed.lost), key=lambda finding: finding.path)
    return Verdict(findings=tuple(findings), standing=judged.standing, committed=committed)


def _without_overlap(findings: Iterable[Finding], lost: Iterable[Finding]) -> list[Finding]:
    by_path = {finding.path: finding for finding in lost}
    return [*by_path.values(), *(finding for finding in findings if finding.path not in by_path)]
