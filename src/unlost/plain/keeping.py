"""Which snapshots a workspace's claims, open units and undo need: retention lets go of any other."""

from __future__ import annotations

from collections.abc import Container, Iterable

from unlost.guard.facts import Claims
from unlost.plain.record import Told


def needed_snapshots(told: Told, open_units: Container[str]) -> frozenset[str]:
    """Ids of snapshots that must stay.

    Those of the boundaries that claims were made at and last seen standing at, open losses among them; those of
    open units; the newest; and what the last restore or rewind put aside.
    """
    claims = told.claims
    numbers = {number for claim in claims.by_path.values() for number in (claim.since, claim.seen)}
    numbers |= {each.number for each in claims.boundaries if each.unit in open_units}
    numbers |= _openings(claims, numbers)
    boundaries = {each.snapshot for each in claims.boundaries if each.number in numbers}
    newest = () if claims.last is None else (claims.last.snapshot,)
    aside = next((word.given.kept for word in reversed(told.words) if word.given.kind != "accepted"), "")
    return frozenset((*boundaries, *newest, *filter(None, (aside,))))


def dropped_boundaries(claims: Claims, snapshots: Container[str]) -> tuple[int, ...]:
    """The numbers of the boundaries that lose their snapshot when these are dropped."""
    return tuple(each.number for each in claims.boundaries if each.snapshot in snapshots)


def _openings(claims: Claims, numbers: Iterable[int]) -> set[int]:
    """The boundaries that opened the tasks which these close."""
    wanted = set(numbers)
    return {each.opened_by for each in claims.boundaries if each.number in wanted and each.opened_by is not None}
