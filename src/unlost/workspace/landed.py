"""What a work tree holds that is nowhere else: asked before it is removed. Pure rules."""

from __future__ import annotations

from collections.abc import Sequence

from unlost.facts.records import dataclass
from unlost.snapshot.facts import Snapshot
from unlost.workspace.three_way import Crossing, Reader


@dataclass(frozen=True, kw_only=True)
class Unlanded:
    """Paths whose content only this work tree has: changed since HEAD, or in commits that no other ref reaches.

    `unread` could not be captured at all (a file over the cap).
    """

    uncommitted: tuple[bytes, ...] = ()
    unpushed: tuple[bytes, ...] = ()
    unread: tuple[bytes, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.uncommitted or self.unpushed or self.unread)


def unlanded(
    crossings: Sequence[Crossing], theirs: Snapshot, mine: str | None, reader: Reader, *, head_is_safe: bool
) -> Unlanded:
    """What would be lost with the work tree whose newest snapshot is `theirs`.

    A path is safe when the source's tree `mine` holds the same, when an apply took this very content over, or when it
    is as HEAD has it and HEAD is reached from elsewhere (`head_is_safe`).
    """
    uncommitted: list[bytes] = []
    unpushed: list[bytes] = []
    dirty = {change.path for change in reader.changes(theirs.base, theirs.tree)}
    for change in reader.changes(crossings[0].tree, theirs.tree):
        path = change.path
        if mine is not None and reader.entry(mine, path) == change.after:
            continue
        applied = (each for each in crossings[1:] if path not in each.refused)
        if any(reader.entry(each.tree, path) == change.after for each in applied):
            continue
        if path in dirty:
            uncommitted.append(path)
        elif not head_is_safe:
            unpushed.append(path)
    return Unlanded(
        uncommitted=tuple(uncommitted),
        unpushed=tuple(unpushed),
        unread=tuple(each.path for each in theirs.incomplete),
    )
