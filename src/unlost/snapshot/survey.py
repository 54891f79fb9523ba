"""One look at every candidate: what is known goes straight on, the rest is read into the store."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from unlost.facts.paths import folders_above
from unlost.facts.patterns import matches_any
from unlost.facts.records import dataclass, field
from unlost.facts.trees import NESTED, Entry
from unlost.facts.words import IncompleteReason
from unlost.git.objects import ObjectWriter
from unlost.git.trees import TreeSource, find, find_file
from unlost.host.reading import Reader
from unlost.host.stamps import stamp_of
from unlost.snapshot.conversions import Doubt, Inspection
from unlost.snapshot.facts import Incomplete, Limits
from unlost.snapshot.state import Delta, State, Taken
from unlost.snapshot.taking import NotTaken, StoreContent, take


@dataclass(frozen=True, kw_only=True)
class Fresh:
    """A path that must be read: its status when it was looked at, and how large it may be."""

    path: bytes
    status: os.stat_result
    limit: int
    ignored: bool = False


@dataclass(kw_only=True)
class Survey:
    """What differs from the baseline now (`delta`), the precious ignored files (`private`), and what is missing."""

    files: Reader
    trees: TreeSource
    state: State
    limits: Limits
    now: int
    delta: Delta = field(default_factory=dict)
    private: dict[bytes, Taken] = field(default_factory=dict)
    incomplete: dict[bytes, Incomplete] = field(default_factory=dict)
    fresh: list[Fresh] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)

    def sort_unreadable(self, told: Iterable[bytes]) -> None:
        """What the system does not show: told by git now, or at an earlier look and still so.

        Git tells of a folder once: afterwards its untracked cache says that nothing in it changed. What lies below a
        listed folder is not listed as well.
        """
        shut = {*told, *filter(self._is_shut, self.state.unreadable)}
        listed = sorted(path for path in shut if not any(folder in shut for folder in folders_above(path)))
        for path in listed:
            self.miss(path, "unreadable")
        if listed != self.state.unreadable:
            self.state.unreadable, self.state.dirty = listed, True

    def sort_tracked(self, paths: Iterable[bytes]) -> None:
        """Candidates that the baseline has: one that is gone is a deletion."""
        for path in paths:
            if not self._sort(path):
                self.delta[path] = None

    def sort_untracked(self, paths: Iterable[bytes]) -> None:
        """Candidates that the baseline has not."""
        settled = {each.path for each in self.fresh} | self.delta.keys()
        known, changed = self.state.delta, []
        for path, stamp in self.files.stamps(path for path in paths if path not in settled):
            before = known.get(path)
            if before is not None and stamp is not None and before.stamp == stamp:
                self.delta[path] = before
            else:
                changed.append(path)
        for path in changed:
            self._sort(path)

    def sort_ignored(self, paths: Iterable[bytes]) -> None:
        """Ignored files: small ones are precious; what a snapshot held before is kept whatever its size."""
        known = self.state.private
        # What is captured as a file of the work tree is never private as well.
        settled = {each.path for each in self.fresh} | self.delta.keys() | self.incomplete.keys()
        for path in paths:
            if path in settled or matches_any(self.limits.exclude_ignored, path):
                continue
            status = self._look(path)
            if status is None or not (stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)):
                continue
            if matches_any(self.limits.include_ignored, path):
                self._sort(path)
                continue
            before = known.get(path) or self.state.delta.get(path)
            if before is not None and before.stamp == stamp_of(status):
                self.private[path] = before
                continue
            limit = self.limits.max_file if before else self.limits.precious_size
            if status.st_size <= limit:
                self.fresh.append(Fresh(path=path, status=status, limit=limit, ignored=True))

    def take(self, writer: ObjectWriter) -> None:
        """Read everything that is fresh. What cannot be read is listed, and absent from the tree."""
        inspection = Inspection(writer, lfs=self.state.lfs)
        for each in self.fresh:
            head = None if each.ignored else find_file(self.trees, self.state.head_tree, each.path)
            taken = self._take(each, inspection.store if head else writer.write_blob)
            if each.ignored:
                if taken is not None:
                    self.private[each.path] = taken
                continue
            if taken is not None:
                self.delta[each.path] = taken
            elif find_file(self.trees, self.state.baseline_tree, each.path) is not None:
                self.delta[each.path] = None
            doubt = inspection.doubt(each.path, head, taken) if head and taken else None
            if doubt is not None:
                self.doubts.append(doubt)

    def leave_out(self, each: Fresh) -> None:
        """Do not read a path after all, for want of room."""
        self.fresh.remove(each)
        self.miss(each.path, "budget", each.status.st_size)
        if not each.ignored and find_file(self.trees, self.state.baseline_tree, each.path) is not None:
            self.delta[each.path] = None

    def link(self, path: bytes, commit: str) -> None:
        """Put a nested repository's own snapshot at its path; nothing else can be there or below."""
        prefix = path + b"/"
        for paths in (self.delta, self.private):
            for below in [each for each in paths if each.startswith(prefix)]:
                del paths[below]
        self.delta[path] = Taken(NESTED, commit, None)

    def miss(self, path: bytes, reason: IncompleteReason, size: int | None = None) -> None:
        """List a path that is not captured."""
        self.incomplete.setdefault(path, Incomplete(path=path, reason=reason, bytes=size))

    def _sort(self, path: bytes) -> bool:
        """Take what is known, queue what must be read; False when there is no file here."""
        status = self._look(path)
        if status is None or stat.S_ISDIR(status.st_mode):
            return False
        before = self.state.delta.get(path)
        if before is not None and before.stamp == stamp_of(status):
            self.delta[path] = before
        else:
            self.fresh.append(Fresh(path=path, status=status, limit=self.limits.max_file))
        return True

    def _is_shut(self, path: bytes) -> bool:
        try:
            status = self.files.status_or_none(path)
            if status is not None and stat.S_ISDIR(status.st_mode):
                self.files.folder(path)
        except OSError:
            return True
        return False

    def _look(self, path: bytes) -> os.stat_result | None:
        """A path's own status; None when it is gone, or listed because the system refuses to say."""
        try:
            return self.files.status_or_none(path)
        except OSError:
            self.miss(path, "unreadable")
            return None

    def _take(self, each: Fresh, store: StoreContent) -> Taken | None:
        try:
            return take(self.files, each.path, each.status, limit=each.limit, now=self.now, store=store)
        except NotTaken as problem:
            # Ignored files are a favour: that one of them grew while it was read is worth no line.
            if not each.ignored or problem.reason in ("unreadable", "unstable"):
                self.miss(each.path, problem.reason, problem.size)
            return None


def changes_between(old: Delta, new: Delta, trees: TreeSource, baseline: str) -> dict[bytes, Entry | None]:
    """What to change in the last snapshot's tree to get the present one's; folders come back as whole subtrees."""
    changes: dict[bytes, Entry | None] = {}
    if old == new:
        return changes
    for path, taken in new.items():
        before = old.get(path)
        # What is known is the very same object, most often thousands of them.
        if before is taken and (taken is not None or path in old):
            continue
        entry = taken.entry if taken is not None else None
        if path not in old or entry != (before.entry if before is not None else None):
            changes[path] = entry
    for path in old.keys() - new.keys():
        changes[path] = find(trees, baseline, path)
    links = tuple(path + b"/" for path, taken in new.items() if taken is not None and taken.mode == NESTED)
    if links:
        return {path: entry for path, entry in changes.items() if not path.startswith(links)}
    return changes
