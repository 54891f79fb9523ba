"""Re-prove claims against the tree as it is now (design.md, section 5)."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from unlost.facts.records import dataclass, replace
from unlost.facts.trees import LINK, NESTED, Change, Entry
from unlost.guard.case import Case
from unlost.guard.claims import IsScratch
from unlost.guard.facts import PERSON, Boundary, Claim, Claims, Finding, Move, Present, Rules
from unlost.guard.made_again import is_made_again
from unlost.guard.moves import find_moves
from unlost.guard.rows import decide
from unlost.guard.sight import NO_TRACE, Evidence, Sight, TreeReader, suspect_of

_MOST_REFERENCES: Final = 200
_LONGEST_TARGET: Final = 4096
_CLOSES: Final = frozenset({"standing", "moved", "superseded", "elsewhere", "extended", "reformatted"})
"""States in which the content of an open loss is back."""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What became of the claims: a finding for each that does not simply stand, in bytewise order of paths."""

    findings: tuple[Finding, ...]
    standing: int
    changes: tuple[Change, ...]

    @property
    def losses(self) -> tuple[Finding, ...]:
        """The findings that are losses."""
        return tuple(finding for finding in self.findings if finding.is_loss)


def judge(
    claims: Claims, present: Present, *, reader: TreeReader, evidence: Evidence, rules: Rules, is_scratch: IsScratch
) -> Judged:
    """Judge every claim, once; ignored files are claimed too, for existence, but for scratch and what a build makes.

    The repository is asked only about claims that do not stand. Raises what reader and evidence raise.
    """
    last = claims.last
    if last is None:
        return Judged(findings=(), standing=0, changes=())
    changes = reader.changes(last.tree, present.tree)
    hidden = reader.changes(last.private, present.private)
    after = {change.path: change.after for change in changes}
    findings: list[Finding] = []
    suspects: list[tuple[Claim, Entry | None]] = []
    standing = 0
    for claim in [*claims.by_path.values(), *_ignored_and_gone(last, hidden, claims, is_scratch)]:
        reason = present.why_unread(claim.path)
        if reason is not None and not claim.captured:
            standing += 1
        elif reason is not None:
            findings.append(Finding(claim=claim, state="unproved", severity="unproved", reason=reason))
        elif claim.path not in after and claim.stood:
            standing += 1
        else:
            suspects.append((claim, after.get(claim.path, claim.now)))
    sight = Sight(reader, evidence)
    for case in _cases(suspects, hidden, claims, present, sight, rules):
        finding = _weighed(case, decide(case))
        if finding.state == "standing" and case.claim.opened is None:
            standing += 1
        else:
            findings.append(finding)
    findings.sort(key=lambda finding: finding.path)
    return Judged(findings=tuple(findings), standing=standing, changes=changes)


def references(claim: Claim, boundaries: Sequence[Boundary], reader: TreeReader) -> tuple[Entry | None, ...]:
    """What stood at the path before the claim, oldest first: in HEAD and at boundaries; the claimed content aside."""
    return _held_by(_trees_before(claim.since, boundaries), claim, reader)


def _trees_before(since: int, boundaries: Sequence[Boundary]) -> tuple[str, ...]:
    """Every base up to a boundary and every tree before it, oldest first, each once: most marks change nothing."""
    before = [boundary for boundary in boundaries if boundary.number <= since]
    trees: dict[str, None] = {}
    for boundary in (*before[:1], *before[1:][-_MOST_REFERENCES:]):
        trees[boundary.base] = None
        if boundary.number < since:
            trees[boundary.tree] = None
    return tuple(trees)


def _held_by(trees: Iterable[str], claim: Claim, reader: TreeReader) -> tuple[Entry | None, ...]:
    found: dict[Entry | None, None] = {reader.entry(tree, claim.path): None for tree in trees}
    found.pop(claim.entry, None)
    return tuple(found)


def _is_new(claim: Claim, now: Entry, claims: Claims, reader: TreeReader) -> bool:
    """Whether a content stood nowhere since the first boundary, nor in what HEAD was then."""
    if now.oid in claims.known_contents:
        return False
    first = _at_head(claim, claims.boundaries[0].base, claims, reader)
    return first is None or first.oid != now.oid


def _at_head(claim: Claim, base: str, claims: Claims, reader: TreeReader) -> Entry | None:
    """What some HEAD holds at a claimed path; a claim knows it of the newest boundary's, and most often no other is."""
    if not claim.ignored and not reader.changes(claims.boundaries[-1].base, base):
        return claim.base
    return reader.entry(base, claim.path)


def _ignored_and_gone(
    last: Boundary, hidden: Iterable[Change], claims: Claims, is_scratch: IsScratch
) -> Iterator[Claim]:
    """A claim for each ignored file of the last boundary that no private capture holds now."""
    for change in hidden:
        known = change.path in claims.by_path or change.path in claims.meant
        if change.before is None or change.after is not None or known:
            continue
        if not is_made_again(change.path) and not is_scratch(change.path):
            yield Claim(
                path=change.path,
                owner=PERSON,
                entry=change.before,
                base=None,
                since=last.number,
                seen=last.number,
                now=None,
                ignored=True,
            )


def _cases(
    suspects: list[tuple[Claim, Entry | None]],
    hidden: tuple[Change, ...],
    claims: Claims,
    present: Present,
    sight: Sight,
    rules: Rules,
) -> Iterator[Case]:
    """Each suspect with all that is known about it; the repository is asked once for all of them."""
    if not suspects:
        return
    reader = sight.reader
    gone = [claim.path for claim, now in suspects if now is None and claim.entry is not None]
    found = {path: entry for path in gone if (entry := reader.entry(present.private, path)) is not None}
    if unseen := [path for path in gone if path not in found]:
        found.update(sight.evidence.beside(unseen))
    seen = [(claim, found.get(claim.path, now) if now is None else now) for claim, now in suspects]
    unlike = [(claim, now) for claim, now in seen if now != claim.entry and not (claim.ignored and now)]
    traces = sight.evidence.trace([suspect_of(claim, now) for claim, now in unlike]) if unlike else {}
    moves = _moves(unlike, hidden, claims.boundaries, present, sight)
    trees = {since: _trees_before(since, claims.boundaries) for since in {claim.since for claim, _ in seen}}
    for claim, now in seen:
        yield Case(
            claim=claim,
            now=now,
            head=_at_head(claim, present.base, claims, reader),
            references=partial(_held_by, trees[claim.since], claim, reader),
            is_new=now is not None and _is_new(claim, now, claims, reader),
            trace=traces.get(claim.path, NO_TRACE),
            move=moves.get(claim.path),
            rules=rules,
            sight=sight,
            led_to=_led_to(claim, now, present, sight),
        )


def _led_to(claim: Claim, now: Entry | None, present: Present, sight: Sight) -> Entry | None:
    """The file within the tree that a claimed link leads to, where a file stands in its place now."""
    if claim.entry is None or claim.entry.mode != LINK or now is None or now.mode in (LINK, NESTED):
        return None
    target = sight.reader.content(claim.entry.oid, _LONGEST_TARGET)
    if target is None or target.startswith(b"/"):
        return None
    folder = claim.path.rpartition(b"/")[0]
    place = posixpath.normpath(posixpath.join(folder, target))
    return None if place.startswith(b"..") else sight.reader.entry(present.tree, place)


def _moves(
    suspects: list[tuple[Claim, Entry | None]],
    hidden: tuple[Change, ...],
    boundaries: Sequence[Boundary],
    present: Present,
    sight: Sight,
) -> dict[bytes, Move]:
    """Where contents went since each claim was last seen standing."""
    trees = {boundary.number: boundary.tree for boundary in boundaries}
    moves: dict[bytes, Move] = {}
    for seen in sorted({claim.seen for claim, _ in suspects}, reverse=True):
        taken = {move.to for move in moves.values() if not move.edited}
        come = [*sight.reader.changes(trees[seen], present.tree), *hidden]
        group = [(claim, now) for claim, now in suspects if claim.seen == seen]
        moves.update(find_moves(group, [change for change in come if change.path not in taken], sight))
    return moves


def _weighed(case: Case, finding: Finding) -> Finding:
    """The finding with what does not come from the table: open losses, deliberate commits, files nobody guards."""
    claim = case.claim
    if claim.opened is not None and finding.state not in _CLOSES and not finding.is_loss:
        finding = replace(finding, state=claim.opened.state, severity="loss")
    if not finding.is_loss:
        return finding
    if not case.rules.is_loss(claim):
        return replace(finding, severity="warning")
    if case.rules.mode == "plain" and case.is_clean and case.was_committed:
        # The claim was committed since and then taken back by a commit: history keeps both, so a person meant it.
        return replace(finding, severity="warning", commit=case.trace.kept_since[0][0])
    return finding
