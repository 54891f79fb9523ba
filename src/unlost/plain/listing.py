"""Lists for people and scripts: boundaries, events, snapshots, and what differs between two snapshots."""

from __future__ import annotations

from unlost.facts.durations import instant_text
from unlost.facts.records import dataclass
from unlost.plain.boundaries import Boundaries
from unlost.plain.events import EVENTS, BoundaryTaken
from unlost.plain.report import Document, incomplete_json, short_branch


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A list of rows under its key, as `unlost.<name>/1`."""

    name: str
    key: str
    rows: tuple[Document, ...] = ()

    def to_json(self) -> Document:
        """The list as one object."""
        return {"schema": f"unlost.{self.name}/1", self.key: list(self.rows)}


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
