"""Versions of a path that lay beside the work tree at a boundary: in a stash entry, or staged in the index.

`git checkout stash@{0} -- .` and `git restore .` put them in the place of newer work, as `git checkout HEAD -- .` does
with committed ones.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping

from unlost.traces.inspection import Inspection
from unlost.traces.staged import staged_entries
from unlost.traces.stashes import read_stash


def paths_put_aside(
    inspection: Inspection, forms: Mapping[bytes, Collection[str]], *, stashes: Collection[str], at: float
) -> set[bytes]:
    """The paths of which a form (a blob id) was in one of the stash entries, or staged before `at`.

    When a content was staged tells the age of its loose object: git renews that whenever somebody stages it again. A
    content that is packed, or was staged since, was put there by a person who meant it.
    """
    found = {
        path
        for path, entries in staged_entries(inspection).items()
        if any(entry.oid in forms.get(path, ()) and _is_older(inspection, entry.oid, at) for entry in entries)
    }
    for oid in stashes:
        stash = read_stash(inspection.objects, oid, number=None)
        changed = {} if stash is None else stash.changed
        found |= {path for path, held in changed.items() if held is not None and held.oid in forms.get(path, ())}
    return found


def _is_older(inspection: Inspection, oid: str, at: float) -> bool:
    path = os.path.join(inspection.repository.common_dir, "objects", oid[:2], oid[2:])
    try:
        return os.lstat(path).st_mtime < at
    except OSError:
        return False
