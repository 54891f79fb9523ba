"""What a check tells beside the claims: stashes, conflicts, remote branches that went back, passing files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from unlost.facts.durations import instant_text
from unlost.facts.quoting import path_json
from unlost.facts.trees import Change, Entry
from unlost.guard.sight import TEXT_LIMIT
from unlost.plain.facts import Proven
from unlost.plain.looking import Looking
from unlost.plain.report import Document
from unlost.plain.trees import Trees
from unlost.snapshot.facts import Snapshot
from unlost.traces.history import missing, only_reachable_from
from unlost.traces.staged import staged_entries
from unlost.traces.stashes import stash_entries

_MARKED: Final = re.compile(rb"^<{7} .*?^={7}\r?$.*?^>{7} ", re.MULTILINE | re.DOTALL)
_MOST_TEXTS: Final = 500
_MOST_AUTOSAVES: Final = 50


def stashed(proven: Proven, looking: Looking) -> list[Document]:
    """Paths inside the present stash entries, each with the newest entry that holds it."""
    inspection = looking.inspection if proven.now.stashes else None
    if inspection is None:
        return []
    found: dict[bytes, str] = {}
    for stash in stash_entries(inspection):
        for path in stash.changed:
            found.setdefault(path, stash.name)
    return [{"path": path_json(path), "stash": name} for path, name in sorted(found.items())]


def conflicting(proven: Proven, changes: Iterable[Change], looking: Looking, trees: Trees) -> list[bytes]:
    """Unmerged paths, and files that gained conflict markers since the boundary."""
    changes = list(changes)
    inspection = looking.inspection if changes or proven.now.operation else None
    if inspection is None:
        return []
    unmerged = {path for path, entries in staged_entries(inspection).items() if len(entries) > 1}
    marked = {
        change.path
        for change in changes[:_MOST_TEXTS]
        if _has_markers(change.after, trees) and not _has_markers(change.before, trees)
    }
    return sorted(unmerged | marked)


def remote_rewound(proven: Proven, looking: Looking) -> list[Document]:
    """Remote-tracking branches that no longer hold what they held at the boundary."""
    before, now = proven.before.surroundings.refs, proven.now.refs
    moved = [
        (ref, oid, now[ref])
        for ref, oid in before.items()
        if ref.startswith("refs/remotes/") and ref in now and now[ref] != oid
    ]
    inspection = looking.inspection if moved else None
    if inspection is None:
        return []
    gone = missing(inspection, [oid for _, oid, _ in moved])
    return [
        {"ref": ref, "from": old, "to": new}
        for ref, old, new in moved
        if old in gone or only_reachable_from(inspection, [old], [new], most=1)
    ]


def passing(proven: Proven, boundary: Snapshot, trees: Trees) -> list[Document]:
    """Files that autosaves saw between the boundary and now, and that were at neither end."""
    last, snapshot = proven.claims.last, proven.snapshot
    if last is None or snapshot is None:
        return []
    start = boundary.sequence
    if snapshot.sequence - start < 2:
        return []
    found: dict[bytes, Document] = {}
    between = [each for each in trees.archive.snapshots() if start < each.sequence < snapshot.sequence]
    for autosave in reversed(between[-_MOST_AUTOSAVES:]):
        for change in trees.changes(last.tree, autosave.tree):
            entry = change.after
            if change.before is not None or entry is None or change.path in found:
                continue
            if trees.entry(snapshot.tree, change.path) is None:
                found[change.path] = {
                    "path": path_json(change.path),
                    "last_seen": {"snapshot": autosave.id, "at": instant_text(autosave.at)},
                    "lines": (trees.content(entry.oid, TEXT_LIMIT) or b"").count(b"\n"),
                }
    return [found[path] for path in sorted(found)]


def _has_markers(entry: Entry | None, trees: Trees) -> bool:
    data = None if entry is None else trees.content(entry.oid, TEXT_LIMIT)
    return data is not None and b"<<<<<<< " in data and _MARKED.search(data) is not None
