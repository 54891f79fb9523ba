"""`accept`: a person says of a loss that it was meant so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from unlost.facts.errors import UsageError
from unlost.facts.quoting import path_text
from unlost.facts.records import dataclass
from unlost.guard.facts import LostObject
from unlost.host.ids import NewId
from unlost.plain.boundaries import Boundaries
from unlost.plain.events import Word, WordGiven, word_body
from unlost.plain.facts import Proven
from unlost.plain.report import Document, paths_json
from unlost.plain.wishes import is_at
from unlost.snapshot.facts import Snapshot

SCHEMA: Final = "unlost.accept/1"
_SHORTEST_ID: Final = 7


@dataclass(frozen=True, kw_only=True)
class Accepted:
    """What was accepted: paths, and the ids of lost commits and stash entries."""

    paths: tuple[bytes, ...]
    commits: tuple[str, ...]
    open_losses: int

    def to_json(self) -> Document:
        """`unlost.accept/1`."""
        return {
            "schema": SCHEMA,
            "accepted": paths_json(self.paths),
            "commits": list(self.commits),
            "open_losses": self.open_losses,
        }


def accept(
    boundaries: Boundaries,
    snapshot: Snapshot | None,
    places: Sequence[bytes],
    *,
    everything: bool,
    why: str,
    new_id: NewId,
) -> Accepted:
    """Accept what stands at these places (paths, folders, ids of lost commits), or every loss there is.

    The content that stands there now is claimed in place of what was. Raises UsageError for a place without a claim.
    """
    with boundaries.looking() as looking:
        proven = boundaries.prove(snapshot, looking)
    lost = (*proven.verdict.committed.lost_commits, *proven.verdict.committed.lost_stashes)
    if everything:
        paths = [finding.path for finding in proven.verdict.losses]
        commits = [each.commit for each in lost]
    else:
        paths, commits = _chosen(proven, places, lost)
    if not paths and not commits:
        return Accepted(paths=(), commits=(), open_losses=0)
    entries = {path: boundaries.trees.held(snapshot, path) for path in paths}
    word = Word(entries=entries, before={}, commits=tuple(commits), why=why)
    given = WordGiven(kind="accepted", paths=len(paths), kept=snapshot.id if snapshot else "", source=None, of=None)
    boundaries.record.say(given, word_body(word), key=new_id("r"))
    remaining = len(proven.verdict.losses) - sum(finding.path in entries for finding in proven.verdict.losses)
    return Accepted(paths=tuple(sorted(entries)), commits=tuple(commits), open_losses=remaining)


def _chosen(proven: Proven, places: Sequence[bytes], lost: Sequence[LostObject]) -> tuple[list[bytes], list[str]]:
    known = {*proven.claims.by_path, *(finding.path for finding in proven.verdict.findings)}
    paths: list[bytes] = []
    commits: list[str] = []
    for place in places:
        below = [path for path in known if is_at(path, place)]
        ids = [
            each.commit
            for each in lost
            if len(place) >= _SHORTEST_ID and each.commit.startswith(place.decode("ascii", "replace"))
        ]
        if not below and not ids:
            raise UsageError(
                f"nothing is claimed at {path_text(place)}, so there is nothing to accept", hint="unlost check"
            )
        paths += below
        commits += ids
    return paths, commits
