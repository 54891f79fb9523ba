"""Which snapshots may go: by age, by closeness in time, and by worth when space is short. Pure rules.

The newest snapshot of a workspace is never given up (the next capture builds on it), and neither are pinned ones:
those that an open loss, or an attempt under way, may need.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final

from unlost.facts.words import SnapshotKind
from unlost.snapshot.facts import Snapshot

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY

AUTOSAVE_STEPS: Final = ((HOUR, 0.0), (DAY, 600.0), (WEEK, HOUR))
"""(up to this age, one autosave in so many seconds): an hour all, a day one in 10 minutes, a week one an hour."""

_WORTH: Final[dict[SnapshotKind, int]] = {"autosave": 0, "kept": 1, "boundary": 2}


def outlived(
    snapshots: Sequence[Snapshot], *, now: float, keep: float, pinned: Container[str] = ()
) -> tuple[Snapshot, ...]:
    """The snapshots of one workspace whose time is over.

    Boundaries and the snapshots kept before a restore live for `keep` seconds; autosaves are thinned with age and
    live for a week, or `keep` when that is less. Thinning twice at the same moment gives up nothing more.
    """
    crowded = _crowded_autosaves(snapshots, now)
    return tuple(
        snapshot for snapshot in _free(snapshots, pinned) if now - snapshot.at > keep or snapshot.id in crowded
    )


def by_worth(snapshots: Sequence[Snapshot], *, pinned: Container[str] = ()) -> tuple[Snapshot, ...]:
    """What may go when space is short, the least worth first: autosaves, kept ones, boundaries; old before new."""
    return tuple(sorted(_free(snapshots, pinned), key=worth))


def worth(snapshot: Snapshot) -> tuple[int, float, int]:
    """A key that sorts snapshots, of several workspaces too, by what they are worth."""
    return _WORTH[snapshot.kind], snapshot.at, snapshot.sequence


def _free(snapshots: Sequence[Snapshot], pinned: Container[str]) -> list[Snapshot]:
    """All but the newest and the pinned ones."""
    newest = max((snapshot.sequence for snapshot in snapshots), default=0)
    return [snapshot for snapshot in snapshots if snapshot.sequence != newest and snapshot.id not in pinned]


def _crowded_autosaves(snapshots: Sequence[Snapshot], now: float) -> frozenset[str]:
    """Autosaves that are too old, or not the newest one of their stretch of time."""
    crowded: set[str] = set()
    taken: set[tuple[float, int]] = set()
    for snapshot in sorted(snapshots, key=lambda each: each.sequence, reverse=True):
        if snapshot.kind != "autosave":
            continue
        # A clock that was set back makes a snapshot of the future: it is as young as can be.
        step = _step_for(max(0.0, now - snapshot.at))
        if step is None:
            crowded.add(snapshot.id)
        elif step > 0:
            stretch = (step, int(snapshot.at // step))
            if stretch in taken:
                crowded.add(snapshot.id)
            taken.add(stretch)
    return frozenset(crowded)


def _step_for(age: float) -> float | None:
    """Seconds between autosaves of this age; None when they are given up."""
    return next((step for oldest, step in AUTOSAVE_STEPS if age <= oldest), None)
