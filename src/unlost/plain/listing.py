"""Lists for people and scripts: boundaries, events, snapshots, and what differs between two snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from unlost.facts.durations import instant_text
from unlost.facts.quoting import path_json
from unlost.facts.records import dataclass
from unlost.facts.trees import Change
from unlost.guard.sight import TEXT_LIMIT
from unlost.plain.boundaries import Boundaries
from unlost.plain.events import EVENTS, BoundaryTaken
from unlost.plain.report import Document, incomplete_json, short_branch
from unlost.plain.trees import nothing_like
from unlost.plain.wishes import is_at
from unlost.snapshot.facts import Snapshot


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A list of rows under its key, as `unlost.<name>/1`."""

    name: str
    key: str
    rows: tuple[Document, ...] = ()

    def to_json(self) -> Document:
        """The list as one object."""
        return {"schema": f"unlost.{self.name}/1", self.key: list(self.rows)}


@dataclass(frozen=True, kw_only=True)
class DiffedPath:
    """A path that differs; contents are None where absent, `binary` or too large where they are not shown."""

    path: bytes
    kind: Literal["added", "changed", "deleted"]
    before: bytes | None
    after: bytes | None
    mode_before: str | None
    mode_after: str | None


@dataclass(frozen=True, kw_only=True)
class Diffed:
    """What differs between two snapshots."""

    before: str
    after: str
    paths: tuple[DiffedPath, ...]

    def to_json(self) -> Document:
        """`unlost.diff/1`."""
        return {
            "schema": "unlost.diff/1",
            "before": self.before,
            "after": self.after,
            "paths": [{"path": path_json(each.path), "kind": each.kind} for each in self.paths],
        }


def list_boundaries(boundaries: Boundaries) -> Listed:
    """Every boundary, the oldest first."""
    kept = {each.number: each for each in boundaries.claims().boundaries}
    rows = []
    for event in boundaries.record.events():
        if event.kind != "boundary.taken":
            continue
        taken: BoundaryTaken = EVENTS.payload(event)
        rows.append(
            {
                "n": taken.number,
                "at": instant_text(taken.at),
                "kind": taken.kind,
                "label": kept[taken.number].label if taken.number in kept else "",
                "snapshot": taken.snapshot,
                "kept": taken.number in kept,
                "files": taken.files,
                "claims": taken.claims,
                "lost": taken.lost,
                "verdict": taken.verdict,
                "unit": taken.unit,
                "task": taken.task,
            }
        )
    return Listed(name="log", key="boundaries", rows=tuple(rows))


def list_events(boundaries: Boundaries) -> Listed:
    """Every event on the workspace's record, the oldest first."""
    rows = [
        {"sequence": event.sequence, "kind": event.kind, "at": instant_text(event.at), "facts": dict(event.facts)}
        for event in boundaries.record.events()
    ]
    return Listed(name="log", key="events", rows=tuple(rows))


def list_snapshots(boundaries: Boundaries) -> Listed:
    """Every snapshot that is kept, the oldest first; `boundary` where one was taken on it."""
    numbers = {each.snapshot: each.number for each in boundaries.claims().boundaries}
    rows = [
        {
            "snapshot": each.id,
            "at": instant_text(each.at),
            "kind": each.kind,
            "label": each.label,
            "boundary": numbers.get(each.id),
            "files": each.files,
            "head": each.surroundings.head,
            "branch": short_branch(each.surroundings.branch),
            "incomplete": incomplete_json(each.incomplete),
        }
        for each in boundaries.archive.snapshots()
    ]
    return Listed(name="snapshots", key="snapshots", rows=tuple(rows))


def diff_between(
    boundaries: Boundaries, before: Snapshot, after: Snapshot | None, paths: Sequence[bytes] = ()
) -> Diffed:
    """What differs between two snapshots (no second one: the root is gone), below these paths when some are given."""
    trees = boundaries.trees
    changes = trees.changes(before.tree, nothing_like(before.tree).tree if after is None else after.tree)
    return Diffed(
        before=before.id,
        after="" if after is None else after.id,
        paths=tuple(_diffed(change, boundaries) for change in _below(changes, paths)),
    )


def _below(changes: Iterable[Change], places: Sequence[bytes]) -> list[Change]:
    return [change for change in changes if not places or any(is_at(change.path, place) for place in places)]


def _diffed(change: Change, boundaries: Boundaries) -> DiffedPath:
    before, after = change.before, change.after
    return DiffedPath(
        path=change.path,
        kind="added" if before is None else "deleted" if after is None else "changed",
        before=None if before is None else boundaries.trees.content(before.oid, TEXT_LIMIT),
        after=None if after is None else boundaries.trees.content(after.oid, TEXT_LIMIT),
        mode_before=None if before is None else before.mode,
        mode_after=None if after is None else after.mode,
    )
