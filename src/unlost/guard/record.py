"""Findings and claims as JSON: what a boundary keeps of its verdict, and the cache of the fold.

The findings of a boundary are evidence of that moment and cannot be found again; they are kept with its event. Claims
can always be folded again from events and snapshots; their JSON is a cache.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Final

from unlost.facts.quoting import canonical_json, path_from_json, path_json
from unlost.facts.records import asdict, dataclass, fields
from unlost.facts.trees import Entry
from unlost.facts.words import IncompleteReason
from unlost.guard.facts import Boundary, Claim, Claims, Contribution, Finding, LostObject, Move, OpenLoss, Tip
from unlost.guard.known_contents import KnownContents
from unlost.guard.late_claims import LateClaims, tally_of

_PLAIN: Final = tuple(field.name for field in fields(Boundary) if field.name != "skipped")


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a boundary's verdict leaves for the fold."""

    findings: tuple[Finding, ...] = ()
    lost_commits: tuple[LostObject, ...] = ()
    lost_stashes: tuple[LostObject, ...] = ()
    skipped: tuple[tuple[bytes, IncompleteReason], ...] = ()
    label: str = ""


def found_json(found: Found) -> dict[str, Any]:
    """Findings as a JSON object."""
    return {
        "findings": [_finding_json(finding) for finding in found.findings],
        "lost_commits": [_lost_json(lost) for lost in found.lost_commits],
        "lost_stashes": [_lost_json(lost) for lost in found.lost_stashes],
        "skipped": [[path_json(path), reason] for path, reason in found.skipped],
        "label": found.label,
    }


def found_from_json(facts: Mapping[str, Any]) -> Found:
    """What `found_json` made. Raises KeyError, ValueError, TypeError for anything else."""
    return Found(
        findings=tuple(_finding(row) for row in facts["findings"]),
        lost_commits=tuple(_lost(row) for row in facts["lost_commits"]),
        lost_stashes=tuple(_lost(row) for row in facts["lost_stashes"]),
        skipped=tuple((path_from_json(path), reason) for path, reason in facts["skipped"]),
        label=facts["label"],
    )


def claims_head(claims: Claims) -> dict[str, Any]:
    """Claims as a JSON object, but for the claims themselves: those are in `claim_rows`."""
    tally = tally_of(claims.by_path)
    return {
        "boundaries": [_boundary_json(boundary) for boundary in claims.boundaries],
        "claims": tally.claims,
        "seen": _seen(claims.by_path) if tally.all_stood else None,
        "lost_commits": [_lost_json(lost) for lost in claims.lost_commits],
        "lost_stashes": [_lost_json(lost) for lost in claims.lost_stashes],
        "meant": [path_json(path) for path in sorted(claims.meant)],
        "meant_objects": sorted(claims.meant_objects),
        "known_contents": None
        if claims.known_contents.full
        else base64.b64encode(claims.known_contents.data).decode("ascii"),
    }


def claim_rows(claims: Claims) -> bytes:
    """The claims themselves, as JSON."""
    if isinstance(claims.by_path, LateClaims):
        return claims.by_path.rows
    return canonical_json([_claim_json(claim) for claim in claims.by_path.values()])


def claims_of(head: Mapping[str, Any], rows: bytes) -> Claims:
    """What `claims_head` and `claim_rows` made. Raises KeyError, ValueError, TypeError for anything else.

    Claims that all stood are read when one is asked for; that their rows are whole is the caller's to prove.
    """
    seen = head["seen"]
    return Claims(
        boundaries=tuple(_boundary(row) for row in head["boundaries"]),
        by_path=_read_rows(rows) if seen is None else LateClaims(rows, head["claims"], seen, _read_rows),
        lost_commits=tuple(_lost(row) for row in head["lost_commits"]),
        lost_stashes=tuple(_lost(row) for row in head["lost_stashes"]),
        meant=frozenset(path_from_json(path) for path in head["meant"]),
        meant_objects=frozenset(head["meant_objects"]),
        known_contents=_known_contents(head["known_contents"]),
    )


def _read_rows(rows: bytes) -> dict[bytes, Claim]:
    claims = [_claim(row) for row in json.loads(rows)]
    return {claim.path: claim for claim in claims}


def _known_contents_json(known: KnownContents) -> str | None:
    return None if known.full else base64.b64encode(known.data).decode("ascii")


def _known_contents(text: str | None) -> KnownContents:
    return KnownContents(full=True) if text is None else KnownContents(base64.b64decode(text, validate=True))


def _seen(claims: Mapping[bytes, Claim]) -> int | None:
    """The one boundary at which all claims were last seen; None where there is no such one."""
    if isinstance(claims, LateClaims):
        return claims.seen
    seen = {claim.seen for claim in claims.values()}
    return seen.pop() if len(seen) == 1 else None


def _boundary_json(boundary: Boundary) -> dict[str, Any]:
    row = {name: getattr(boundary, name) for name in _PLAIN}
    return row | {"skipped": [[path_json(path), reason] for path, reason in boundary.skipped]}


def _boundary(row: Mapping[str, Any]) -> Boundary:
    skipped = tuple((path_from_json(path), reason) for path, reason in row["skipped"])
    return Boundary(**{name: row[name] for name in _PLAIN}, skipped=skipped)


def _claim_json(claim: Claim) -> list[Any]:
    opened = claim.opened
    return [
        path_json(claim.path),
        claim.owner,
        _entry_json(claim.entry),
        _entry_json(claim.base),
        claim.since,
        claim.seen,
        _entry_json(claim.now),
        [[each.owner, _entry_json(each.before), _entry_json(each.after)] for each in claim.contributions],
        None if opened is None else [opened.state, opened.boundary, opened.during],
        [claim.ignored, claim.captured, claim.accepted],
    ]


def _claim(row: Any) -> Claim:
    path, owner, entry, base, since, seen, now, contributions, opened, (ignored, captured, accepted) = row
    return Claim(
        path=path_from_json(path),
        owner=owner,
        entry=_entry(entry),
        base=_entry(base),
        since=since,
        seen=seen,
        now=_entry(now),
        contributions=tuple(
            Contribution(owner=who, before=_entry(before), after=_entry(after)) for who, before, after in contributions
        ),
        opened=None if opened is None else OpenLoss(state=opened[0], boundary=opened[1], during=opened[2]),
        ignored=ignored,
        captured=captured,
        accepted=accepted,
    )


def _finding_json(finding: Finding) -> dict[str, Any]:
    move = finding.move
    row = {
        "claim": _claim_json(finding.claim),
        "state": finding.state,
        "severity": finding.severity,
        "now": _entry_json(finding.now),
        "move": None if move is None else [path_json(move.to), move.edited],
        "by": finding.by,
        "tip": None if finding.tip is None else [finding.tip.ref, finding.tip.commit],
        "commit": finding.commit,
        "reason": finding.reason,
    }
    return {name: value for name, value in row.items() if value is not None}


def _finding(row: Mapping[str, Any]) -> Finding:
    move, tip = row.get("move"), row.get("tip")
    return Finding(
        claim=_claim(row["claim"]),
        state=row["state"],
        severity=row["severity"],
        now=_entry(row.get("now")),
        move=None if move is None else Move(to=path_from_json(move[0]), edited=move[1]),
        by=row.get("by"),
        tip=None if tip is None else Tip(ref=tip[0], commit=tip[1]),
        commit=row.get("commit"),
        reason=row.get("reason"),
    )


def _lost_json(lost: LostObject) -> dict[str, Any]:
    return asdict(lost) | {"paths": [path_json(path) for path in lost.paths]}


def _lost(row: Mapping[str, Any]) -> LostObject:
    return LostObject(**{**row, "paths": tuple(path_from_json(path) for path in row["paths"])})


def _entry_json(entry: Entry | None) -> Any:
    return None if entry is None else [entry.mode, entry.oid]


def _entry(row: Any) -> Entry | None:
    return None if row is None else Entry(*row)
