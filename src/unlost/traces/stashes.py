"""Stash entries, and dropped ones, with what each really holds (H.13, H.19).

An entry is a commit of two or three parents: its base, the index, and with `-u` the untracked files. The list is shared
by all work trees of a repository, so base and branch are told with each: nobody restores another worker's blindly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from unlost.facts.trees import Entry
from unlost.git.reader import ObjectMissing, ObjectReader
from unlost.traces.commits import Commit, changed_between, read_commit
from unlost.traces.facts import Stash
from unlost.traces.inspection import Inspection

_SUBJECT: Final = re.compile(r"(?:WIP on|On) (?P<branch>[^:]+): ")


def stash_entries(inspection: Inspection) -> tuple[Stash, ...]:
    """The entries of the stash, the newest first; those whose objects are gone are left out but keep their number."""
    listed = [entry.after for entry in inspection.reflogs() if entry.ref == "refs/stash" and entry.after]
    found = (read_stash(inspection.objects, oid, number=number) for number, oid in enumerate(listed))
    return tuple(stash for stash in found if stash is not None)


def dropped_stashes(inspection: Inspection, dangling: Iterable[str]) -> tuple[Stash, ...]:
    """Those of the dangling commits that are stash entries somebody dropped, the newest first."""
    listed = {entry.after for entry in inspection.reflogs() if entry.ref == "refs/stash"}
    found = (read_stash(inspection.objects, oid, number=None) for oid in dangling if oid not in listed)
    return tuple(sorted((stash for stash in found if stash), key=lambda stash: -stash.at))


def read_stash(objects: ObjectReader, oid: str, *, number: int | None) -> Stash | None:
    """The stash entry that a commit is; None when it is none or cannot be read."""
    try:
        commit = read_commit(objects, oid)
        parents = [read_commit(objects, parent) for parent in commit.parents]
    except ObjectMissing:
        return None
    if not _is_stash(parents):
        return None
    base, index = parents[0], parents[1]
    changed: dict[bytes, Entry | None] = changed_between(objects, base.tree, index.tree)
    changed |= changed_between(objects, base.tree, commit.tree)
    untracked = changed_between(objects, None, parents[2].tree) if len(parents) > 2 else {}
    match = _SUBJECT.match(commit.subject)
    return Stash(
        number=number,
        commit=oid,
        base=base.oid,
        at=commit.at,
        subject=commit.subject,
        branch=match["branch"] if match else None,
        changed={**changed, **untracked},
        untracked=frozenset(untracked),
    )


def _is_stash(parents: list[Commit]) -> bool:
    """The shape that `git stash` gives its commits: the base, then the index made on that base."""
    return (
        len(parents) in (2, 3)
        and parents[1].parents == (parents[0].oid,)
        and parents[1].subject.startswith("index on ")
        and (len(parents) == 2 or not parents[2].parents)
    )
