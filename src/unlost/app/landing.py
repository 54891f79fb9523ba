"""`workspace apply`: what a linked work tree made, put into the tree that it came from."""

from __future__ import annotations

import shlex
from typing import Any

from unlost.app.opening import Place
from unlost.app.workspaces import lives_elsewhere, settled_elsewhere
from unlost.app.worktree_places import Machine, crossings_of, present_of_place
from unlost.app.worktrees import keep_tree
from unlost.facts.errors import NeedsPerson, UsageError
from unlost.facts.records import dataclass, replace
from unlost.git.formats import format_of
from unlost.host.ids import new_id
from unlost.plain.facts import Order
from unlost.plain.restore import Putting, Restored, would
from unlost.plain.wishes import Conflict, Wish
from unlost.snapshot.facts import Snapshot
from unlost.workspace import worktree_events as events
from unlost.workspace.three_way import Landing, land


@dataclass(frozen=True, kw_only=True)
class AppliedWorktree:
    """What an apply did, or with -n would do; `snapshot` is of the work tree whose content went over."""

    workspace: str
    into: str
    snapshot: str
    restored: Restored

    @property
    def exit_code(self) -> int:
        """3 when a path was refused and needs a person, 1 when one could not be put in place."""
        if any(each.reason == "conflict" for each in self.restored.failed):
            return NeedsPerson.exit_code
        return self.restored.exit_code

    def to_json(self) -> dict[str, Any]:
        """`unlost.apply/1`: as `unlost.restore/1`, with `applied` for what was taken as it is."""
        document = self.restored.to_json()
        applied = document.pop("restored")
        return document | {
            "schema": "unlost.apply/1",
            "workspace": self.workspace,
            "into": self.into,
            "snapshot": self.snapshot,
            "applied": applied,
        }


def apply_worktree(machine: Machine, name: str, *, here: str = "", dry_run: bool = False) -> AppliedWorktree:
    """Put what a work tree made into the tree that it came from, three-way; the present is kept first.

    A path that does not merge is left as it is, whole, and named; `unlost undo` takes the rest back. Raises UsageError.
    """
    identity, record = machine.worktree(name, here=here)
    elsewhere = settled_elsewhere(machine.settings.home, here)
    if elsewhere is not None and elsewhere.workspace == record.made.source:
        # Its files would go into a tree that the person does not stand in, and may not know of.
        raise lives_elsewhere(elsewhere, f"workspace apply {shlex.quote(name)}")
    with machine.opened(record.made.source) as source, machine.opened(identity.workspace) as place:
        boundaries = source.boundaries
        putting = Putting(boundaries=boundaries, journals=source.journals, new_id=new_id)
        if not source.root_is_there:
            raise UsageError("the tree that it came from is gone; nothing was changed", hint="unlost restore --all")
        theirs = present_of_place(place, "before apply")
        mine = present_of_place(source, "before apply")
        if not dry_run and boundaries.claims().last is None:
            # Without a boundary there is nothing that `undo` could go back to.
            boundaries.take(mine, Order(kind="mark", label="before apply"))
        landed = land(
            crossings_of(record),
            mine.tree,
            theirs.tree,
            boundaries.trees,
            lambda data: format_of(theirs.tree).name_of(b"blob", data),
        )
        landings = tuple(_refused_if_unseen(each, theirs) for each in landed)
        restored = _put(landings, putting, mine, source=theirs.id, dry_run=dry_run)
        if not dry_run:
            _record(machine, identity.workspace, source, theirs, landings, restored)
    return AppliedWorktree(workspace=identity.workspace, into=record.made.source, snapshot=theirs.id, restored=restored)


def _refused_if_unseen(landing: Landing, theirs: Snapshot) -> Landing:
    """A file that is there and could not be captured was not deleted: what it holds, nobody knows here."""
    is_unseen = landing.what in ("taken", "merged") and theirs.missed(landing.path)
    return replace(landing, what="conflict") if is_unseen else landing


def _put(landings: tuple[Landing, ...], putting: Putting, mine: Snapshot, *, source: str, dry_run: bool) -> Restored:
    boundaries = putting.boundaries
    wishes = [
        Wish(path=each.path, entry=each.entry, merged=each.merged)
        for each in landings
        if each.what in ("taken", "merged")
    ]
    conflicts = [Conflict(path=each.path) for each in landings if each.what == "conflict"]
    with boundaries.looking() as looking:
        proven = boundaries.prove(mine, looking)
    if dry_run:
        return would(wishes, proven, boundaries.trees, conflicts)
    return putting.put(wishes, proven, "restored", conflicts=conflicts, source=source)


def _record(
    machine: Machine,
    workspace: str,
    source: Place,
    theirs: Snapshot,
    landings: tuple[Landing, ...],
    restored: Restored,
) -> None:
    refused = frozenset(failure.path for failure in restored.failed)
    # First the tree, which the record counts on.
    keep_tree(source.boundaries.archive.layout.store, workspace, theirs.tree)
    applied = events.WorktreeApplied(
        into=source.identity.workspace,
        snapshot=theirs.id,
        tree=theirs.tree,
        paths=sum(1 for each in landings if each.path not in refused),
        refused=len(refused),
    )
    events.append(machine.ledger, workspace, applied, key=new_id("a"), refused=refused)
