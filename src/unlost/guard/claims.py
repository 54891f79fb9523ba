"""The fold of claims: what each boundary, acceptance and restore makes of them.

Pure: contents come from the snapshots through a `TreeReader`; what forensics found at a boundary comes with it as
findings and is never looked up again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

from unlost.facts.records import dataclass, replace
from unlost.facts.trees import NESTED, Change, Entry
from unlost.guard.facts import PERSON, Boundary, Claim, Claims, Contribution, Finding, LostObject, OpenLoss, why_unread
from unlost.guard.late_claims import seen_at, tally_of
from unlost.guard.sight import TreeReader

IsScratch = Callable[[bytes], bool]
_EXISTENCE: Final = frozenset({"too_big", "budget"})
"""Reasons for which a path was left out although it is somebody's work: it is claimed for existence."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One boundary being folded in, with what differs since the one before it."""

    claims: Claims
    boundary: Boundary
    reader: TreeReader
    is_scratch: IsScratch
    tree_now: Mapping[bytes, Entry | None]
    base_now: Mapping[bytes, Entry | None]


def with_boundary(
    claims: Claims,
    boundary: Boundary,
    findings: Iterable[Finding],
    *,
    reader: TreeReader,
    is_scratch: IsScratch,
    lost_commits: Sequence[LostObject] = (),
    lost_stashes: Sequence[LostObject] = (),
) -> Claims:
    """The claims after a boundary, given what became of each earlier claim there (those left out stand).

    A loss stays open. What changed without being lost carries the claim on to its new content, in the name of
    whoever this boundary belongs to. New claims: what differs from HEAD, or from the boundary that opened the task.
    """
    findings = tuple(findings)
    if not findings and _is_as_before(claims, boundary):
        return Claims(
            boundaries=(*claims.boundaries, boundary),
            by_path=seen_at(claims.by_path, boundary.number),
            lost_commits=tuple(lost_commits),
            lost_stashes=tuple(lost_stashes),
            known_contents=claims.known_contents,
        )
    last = claims.last
    step = Step(
        claims=claims,
        boundary=boundary,
        reader=reader,
        is_scratch=is_scratch,
        tree_now=_after(None if last is None else last.tree, boundary.tree, reader),
        base_now=_after(None if last is None else last.base, boundary.base, reader),
    )
    by_finding = {finding.path: finding for finding in findings}
    carried: dict[bytes, Claim] = {}
    for path in claims.by_path.keys() | by_finding.keys():
        claim = claims.by_path.get(path) or by_finding[path].claim
        kept = _carried(claim, by_finding.get(path), step)
        if kept is not None and (kept.path == path or kept.path not in claims.by_path):
            carried[kept.path] = kept
    for claim in _made(carried, step):
        carried[claim.path] = claim
    return Claims(
        boundaries=(*claims.boundaries, boundary),
        by_path=dict(sorted(carried.items())),
        lost_commits=tuple(lost_commits),
        lost_stashes=tuple(lost_stashes),
        known_contents=claims.known_contents.grown(_came(step)),
    )


def with_word(claims: Claims, entries: Mapping[bytes, Entry | None], commits: Iterable[str] = ()) -> Claims:
    """The claims after a person gave a word on paths: accepted what stands there, or put something there.

    `entries` is what stands at each path then. A loss whose content is back is closed. Anything else is claimed in
    place of what was; lost commits and stash entries are closed by id.
    """
    by_path = dict(claims.by_path)
    meant = set(claims.meant)
    for path, entry in entries.items():
        claim = by_path.get(path)
        if claim is None:
            meant.add(path)
            continue
        if claim.entry == entry and claim.captured:
            by_path[path] = replace(claim, opened=None)
            continue
        by_path[path] = replace(
            claim,
            entry=entry,
            owner=PERSON,
            opened=None,
            accepted=True,
            captured=True,
            ignored=False,
            since=claims.boundaries[-1].number + 1,
            contributions=(Contribution(owner=PERSON, before=claim.base, after=entry),),
        )
    closed = set(commits)
    return replace(
        claims,
        by_path=by_path,
        lost_commits=tuple(lost for lost in claims.lost_commits if lost.commit not in closed),
        lost_stashes=tuple(lost for lost in claims.lost_stashes if lost.commit not in closed),
        meant=frozenset(meant),
        meant_objects=claims.meant_objects | closed,
    )


def without_boundaries(claims: Claims, numbers: Container[int]) -> Claims:
    """The claims after snapshots of old boundaries were let go; what was claimed there is claimed still."""
    kept = tuple(each for each in claims.boundaries if each.number not in numbers)
    return replace(claims, boundaries=kept)


def _is_as_before(claims: Claims, boundary: Boundary) -> bool:
    """Whether a boundary finds files, HEAD and writer as the newest one did, with every claim standing there.

    Then the newest one made all the claims that there are to make, and let go of all that history keeps.
    """
    last = claims.last
    if last is None or (last.owner, boundary.owner) != (PERSON, PERSON):
        return False
    facts_before, facts_now = (
        (each.tree, each.base, each.private, each.unit, each.skipped) for each in (last, boundary)
    )
    return facts_before == facts_now and tally_of(claims.by_path).all_stood


def _came(step: Step) -> Iterator[str]:
    """The ids of all that stands at a boundary, in its tree or its HEAD, and may not have stood at the one before."""
    after = [*step.tree_now.values(), *step.base_now.values()]
    if step.claims.last is None:
        after = [change.after for change in step.reader.changes(step.boundary.base, step.boundary.tree)]
    return (entry.oid for entry in after if entry is not None)


def _after(before: str | None, now: str, reader: TreeReader) -> dict[bytes, Entry | None]:
    if before is None or before == now:
        return {}
    return {change.path: change.after for change in reader.changes(before, now)}


def _carried(claim: Claim, finding: Finding | None, step: Step) -> Claim | None:
    """What is left of a claim after a boundary: nothing, itself, itself elsewhere, or itself with new content."""
    boundary = step.boundary
    now, base = step.tree_now.get(claim.path, claim.now), step.base_now.get(claim.path, claim.base)
    if (now, base) != (claim.now, claim.base):
        claim = replace(claim, now=now, base=base)
    if finding is None or finding.state == "standing" or (finding.state == "superseded" and claim.accepted):
        return _stood(claim, boundary)
    if finding.is_loss:
        opened = claim.opened or OpenLoss(state=finding.state, boundary=boundary.number, during=boundary.attempt)
        return replace(claim, opened=opened, accepted=False)
    if claim.ignored or not claim.captured or (finding.state == "elsewhere" and boundary.unit is None):
        return None
    if finding.state in ("unproved", "elsewhere") or not _follows(boundary):
        return claim
    if finding.move is not None:
        return _moved(claim, finding.move.to, step)
    gone = finding.state == "superseded" and claim.now is None
    return None if gone else _advanced(claim, claim.now, boundary)


def _follows(boundary: Boundary) -> bool:
    """Whether claims go on to what stands at this boundary: an unfinished attempt vouches for nothing."""
    return boundary.owner is not None or boundary.kind == "checks"


def _stood(claim: Claim, boundary: Boundary) -> Claim | None:
    """A claim that stands. What HEAD holds too is history's to keep, unless a unit is open."""
    if claim.ignored:
        return None
    if claim.entry == claim.base and claim.captured and (boundary.unit is None or claim.accepted):
        return None if _follows(boundary) else claim
    return replace(claim, seen=boundary.number, opened=None, accepted=False)


def _advanced(claim: Claim, entry: Entry | None, boundary: Boundary) -> Claim | None:
    """The claim on what stands now; what a check changed it contributes to nobody."""
    owner = boundary.owner
    contributions = claim.contributions
    if owner == PERSON and all(each.owner == PERSON for each in contributions):
        contributions = (Contribution(owner=PERSON, before=claim.base, after=entry),)
    elif owner is not None:
        contributions = (*contributions, Contribution(owner=owner, before=claim.entry, after=entry))
    advanced = replace(
        claim,
        entry=entry,
        owner=owner or claim.owner,
        since=boundary.number,
        now=entry,
        contributions=contributions,
    )
    return _stood(advanced, boundary)


def _moved(claim: Claim, to: bytes, step: Step) -> Claim | None:
    boundary, reader = step.boundary, step.reader
    entry = reader.entry(boundary.tree, to)
    if entry is None:
        return None
    place = replace(claim, path=to, base=reader.entry(boundary.base, to), since=boundary.number, now=entry)
    return _stood(place, boundary) if entry == claim.entry else _advanced(place, entry, boundary)


def _made(carried: Mapping[bytes, Claim], step: Step) -> Iterator[Claim]:
    """The claims that a boundary adds on paths that have none."""
    boundary, owner = step.boundary, step.boundary.owner
    if owner is None:
        return
    start = boundary.base
    if owner != PERSON:
        opened = (each.tree for each in step.claims.boundaries if each.number == boundary.opened_by)
        # Where the boundary that opened the task is let go, the task is held against HEAD.
        start = next(opened, start)
    skipped = dict(boundary.skipped)
    for change in _unlike(start, carried, step):
        # What could not be read is absent from the tree, or as HEAD has it; nobody made it so.
        is_hidden = why_unread(change.path, skipped) is not None
        if change.path not in carried and not is_hidden:
            base = change.before if owner == PERSON else step.reader.entry(boundary.base, change.path)
            if _is_claimed(change, base, step):
                contribution = Contribution(owner=owner, before=change.before, after=change.after)
                yield _claim(change.path, owner, change.after, base, boundary, (contribution,))
    for path, reason in boundary.skipped:
        if reason in _EXISTENCE and path not in carried and not step.is_scratch(path):
            yield replace(_claim(path, owner, None, None, boundary), captured=False)


def _unlike(start: str, carried: Mapping[bytes, Claim], step: Step) -> Iterable[Change]:
    """What differs between where an owner began and a boundary, as far as claims can come of it.

    Where a person's boundary follows another with HEAD as it was, all else that differs was claimed there.
    """
    claims, boundary, reader = step.claims, step.boundary, step.reader
    last = claims.last
    goes_on = last is not None and last.owner == boundary.owner == PERSON and last.unit == boundary.unit
    if not goes_on or step.base_now:
        return reader.changes(start, boundary.tree)
    paths = {*step.tree_now, *(claims.by_path.keys() - carried.keys())}
    pairs = ((path, reader.entry(start, path), reader.entry(boundary.tree, path)) for path in sorted(paths))
    return [Change(path, before, after) for path, before, after in pairs if before != after]


def _is_claimed(change: Change, base: Entry | None, step: Step) -> bool:
    """Nested repositories keep their own record; untracked scratch is nobody's work."""
    if any(entry is not None and entry.mode == NESTED for entry in (change.before, change.after)):
        return False
    return base is not None or not step.is_scratch(change.path)


def _claim(
    path: bytes,
    owner: str,
    entry: Entry | None,
    base: Entry | None,
    boundary: Boundary,
    contributions: tuple[Contribution, ...] = (),
) -> Claim:
    return Claim(
        path=path,
        owner=owner,
        entry=entry,
        base=base,
        since=boundary.number,
        seen=boundary.number,
        now=entry,
        contributions=contributions,
    )
