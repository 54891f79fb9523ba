"""What a check tells beside the claims: stashes, conflicts, remote branches that went back, passing files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from unlost.facts.durations import instant_text
from unlost.facts.quoting import path_json
from unlost.facts.trees import NESTED, Change, Entry
from unlost.guard.sight import TEXT_LIMIT
from unlost.hunks.fate import lines_only_in
from unlost.hunks.text import is_binary
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
_MOST_LINES: Final = 100_000


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
    """What autosaves saw between the boundary and now, and what is at neither end: files, and lines of files.

    A file that is the same at both ends was worked in meanwhile, and that work was put back. `lines` counts the lines
    that only the newest such autosave holds.
    """
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
            if change.after is None or change.path in found or change.after.mode == NESTED:
                continue
            if trees.entry(snapshot.tree, change.path) == change.before:
                found[change.path] = {
                    "path": path_json(change.path),
                    "last_seen": {"snapshot": autosave.id, "at": instant_text(autosave.at)},
                    "lines": _lines_of(change.after, change.before, trees),
                }
    return [found[path] for path in sorted(found)]


def _lines_of(entry: Entry, ends: Entry | None, trees: Trees) -> int:
    """How many lines a content has that the one at both ends lacks; 0 for what is no text."""
    passed = trees.content(entry.oid, TEXT_LIMIT) or b""
    stayed = b"" if ends is None else trees.content(ends.oid, TEXT_LIMIT) or b""
    if is_binary(passed) or is_binary(stayed):
        return 0
    return len(lines_only_in(passed, stayed, _MOST_LINES)) if ends is not None else len(passed.splitlines())


def _has_markers(entry: Entry | None, trees: Trees) -> bool:
    data = None if entry is None else trees.content(entry.oid, TEXT_LIMIT)
    return data is not None and b"<<<<<<< " in data and _MARKED.search(data) is not None
