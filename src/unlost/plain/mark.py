"""`mark`: what a boundary tells of itself, as `unlost.mark/1`."""

from __future__ import annotations

from typing import Final

from unlost.facts.errors import WorkLost
from unlost.facts.records import dataclass
from unlost.guard.late_claims import tally_of
from unlost.plain.boundaries import Boundaries
from unlost.plain.facts import Recorded
from unlost.plain.report import Document, incomplete_json, root_text, short_branch
from unlost.snapshot.facts import Snapshot

SCHEMA: Final = "unlost.mark/1"


@dataclass(frozen=True, kw_only=True)
class Marked:
    """A boundary that was taken; `lost` earlier claims fell at it, `open_losses` are open after it."""

    document: Document
    lost: int
    open_losses: int
    changed: int
    boundary: int

    @property
    def exit_code(self) -> int:
        """4 while a loss is open; the boundary is taken all the same."""
        return WorkLost.exit_code if self.open_losses or self.lost else 0

    def to_json(self) -> Document:
        """`unlost.mark/1`."""
        return self.document


def marked(boundaries: Boundaries, snapshot: Snapshot, taken: Recorded, *, seconds: float) -> Marked:
    """The answer of a mark that took this long."""
    verdict = None if taken.proven is None else taken.proven.verdict
    fallen, changed, objects = 0, 0, 0
    if verdict is not None and taken.proven is not None:
        committed = verdict.committed
        objects = len(committed.lost_commits) + len(committed.lost_stashes)
        known = len(taken.proven.claims.lost_commits) + len(taken.proven.claims.lost_stashes)
        fallen = sum(finding.claim.opened is None for finding in verdict.losses) + max(0, objects - known)
        last = taken.proven.claims.last
        changed = 0 if last is None else len(boundaries.changed(last.tree, snapshot.tree))
    open_losses = tally_of(taken.claims.by_path).open_losses + objects
    return Marked(
        document={
            "schema": SCHEMA,
            "workspace": snapshot.workspace,
            "root": root_text(boundaries.archive.root),
            "boundary": taken.boundary.number,
            "snapshot": snapshot.id,
            "tree": snapshot.tree,
            "head": snapshot.surroundings.head,
            "branch": short_branch(snapshot.surroundings.branch),
            "files": snapshot.files,
            "claims": len(taken.claims.by_path),
            "lost": fallen,
            "open_losses": open_losses,
            "bytes": snapshot.written,
            "incomplete": incomplete_json(snapshot.incomplete),
            "ms": round(seconds * 1000),
        },
        lost=fallen,
        open_losses=open_losses,
        changed=changed,
        boundary=taken.boundary.number,
    )
