"""What differs between two moments of a workspace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from unlost.facts.quoting import path_json
from unlost.facts.records import dataclass
from unlost.facts.trees import Change
from unlost.guard.sight import TEXT_LIMIT
from unlost.plain.boundaries import Boundaries
from unlost.plain.report import Document
from unlost.plain.trees import nothing_like
from unlost.plain.wishes import is_at
from unlost.snapshot.facts import Snapshot


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
