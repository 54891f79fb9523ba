"""Where else does exactly this content stand? The question a loss report asks for every lost path.

Asked for many paths at once, with a bounded number of git processes: one look at which objects exist at all answers
for most of them, because uncommitted work that was never staged is nowhere in git.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Entry
from unlost.facts.words import FoundIn
from unlost.host.reading import Reader
from unlost.traces.dangling import unreachable
from unlost.traces.facts import Elsewhere, Stash
from unlost.traces.history import changes_by, missing, only_reachable_from, versions
from unlost.traces.inspection import Inspection
from unlost.traces.staged import staged_entries
from unlost.traces.stashes import dropped_stashes, stash_entries

Wanted = Mapping[bytes, Entry]

_ORDER: Final[tuple[FoundIn, ...]] = ("stash", "index", "history", "reflog", "dangling", "remote", "worktree")
_READ_LIMIT: Final = 64 << 20
_FILES: Final = (REGULAR, EXECUTABLE)


def elsewhere(inspection: Inspection, wanted: Wanted) -> dict[bytes, Elsewhere]:
    """For each wanted path, every place but unlost's own snapshots that holds exactly its content."""
    found: dict[bytes, dict[FoundIn, str]] = defaultdict(dict)
    gone = missing(inspection, {entry.oid for entry in wanted.values()})
    present = {path: entry for path, entry in wanted.items() if entry.oid not in gone}
    if present:
        for search in (_in_stashes, _in_index, _in_commits, _in_dangling):
            search(inspection, present, found)
    _in_work_trees(inspection, wanted, found)
    return {
        path: Elsewhere(places=tuple(place for place in _ORDER if place in places), refs=places)
        for path, places in found.items()
    }


def _in_stashes(inspection: Inspection, wanted: Wanted, found: dict[bytes, dict[FoundIn, str]]) -> None:
    for stash in stash_entries(inspection):
        for path in _held(stash, wanted):
            found[path].setdefault("stash", stash.name)


def _held(stash: Stash, wanted: Wanted) -> Sequence[bytes]:
    return [path for path, entry in wanted.items() if _same(stash.changed.get(path), entry)]


def _in_index(inspection: Inspection, wanted: Wanted, found: dict[bytes, dict[FoundIn, str]]) -> None:
    staged = staged_entries(inspection)
    for path, entry in wanted.items():
        if any(_same(each, entry) for each in staged.get(path, ())):
            found[path].setdefault("index", "index")


def _in_commits(inspection: Inspection, wanted: Wanted, found: dict[bytes, dict[FoundIn, str]]) -> None:
    local = {name: oid for name, oid in inspection.live_tips.items() if not name.startswith("refs/remotes/")}
    tags = [oid for name, oid in inspection.refs.items() if name.startswith("refs/tags/")]
    remote = [oid for name, oid in inspection.refs.items() if name.startswith("refs/remotes/")]
    reached = [*local.values(), *tags]
    searches: tuple[tuple[FoundIn, Sequence[str], Sequence[str]], ...] = (
        ("history", reached, ()),
        ("remote", remote, reached),
        ("reflog", sorted(inspection.reflog_oids()), [*reached, *remote]),
    )
    for place, tips, excluding in searches:
        known = missing(inspection, [*tips, *excluding])
        walk = versions(
            inspection,
            list(wanted),
            [tip for tip in tips if tip not in known],
            excluding=[tip for tip in excluding if tip not in known],
        )
        for version in walk:
            if _same(version.entry, wanted.get(version.path)):
                found[version.path].setdefault(place, version.commit)


def _in_dangling(inspection: Inspection, wanted: Wanted, found: dict[bytes, dict[FoundIn, str]]) -> None:
    lost = unreachable(inspection)
    if not lost.commits and not lost.blobs:
        return
    for stash in dropped_stashes(inspection, lost.commits):
        for path in _held(stash, wanted):
            found[path].setdefault("dangling", stash.commit)
    tips = [commit for commit in lost.commits if commit not in lost.in_reflog]
    commits = only_reachable_from(inspection, tips, [*inspection.live_tips.values(), *inspection.refs.values()])
    for version in changes_by(inspection, commits, list(wanted)):
        if _same(version.entry, wanted.get(version.path)):
            found[version.path].setdefault("dangling", version.commit)
    blobs = set(lost.blobs)
    for path, entry in wanted.items():
        if entry.oid in blobs:
            found[path].setdefault("dangling", entry.oid)


def _in_work_trees(inspection: Inspection, wanted: Wanted, found: dict[bytes, dict[FoundIn, str]]) -> None:
    """The same path in another work tree of the repository, by its bytes."""
    for root in other_roots(inspection):
        try:
            reader = Reader(root)
        except OSError:
            continue
        with reader:
            for path, entry in wanted.items():
                if _oid_on_disk(inspection, reader, path, entry) == entry.oid:
                    found[path].setdefault("worktree", os.path.basename(root))


def other_roots(inspection: Inspection) -> list[str]:
    """The roots of the repository's other work trees that are named in it; they may be gone."""
    roots = []
    for _, git_dir in inspection.linked_git_dirs():
        place = read_line(os.path.join(git_dir, "gitdir"))
        if place:
            roots.append(os.path.dirname(place))
    main = os.path.dirname(inspection.repository.common_dir)
    if os.path.basename(inspection.repository.common_dir) == ".git":
        roots.append(main)
    return [root for root in roots if os.path.realpath(root) != inspection.repository.root]


def read_line(path: str) -> str:
    """The text of a small file without outer blanks; empty when there is none."""
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.read(4096)).strip()
    except OSError:
        return ""


def _oid_on_disk(inspection: Inspection, reader: Reader, path: bytes, entry: Entry) -> str | None:
    """The id of what stands at a path; None when it is another type, unreadable or large."""
    name_of = inspection.repository.object_format.name_of
    try:
        if entry.mode == LINK:
            return name_of(b"blob", reader.link_target(path))
        data = reader.read(path, _READ_LIMIT)
    except OSError:
        return None
    return None if data is None else name_of(b"blob", data)


def _same(held: Entry | None, wanted: Entry | None) -> bool:
    """Whether an entry holds the wanted content: the same id, and both files or both links."""
    if held is None or wanted is None or held.oid != wanted.oid:
        return False
    return held.mode == wanted.mode or (held.mode in _FILES and wanted.mode in _FILES)
