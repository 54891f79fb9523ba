"""What the repository still holds: stashes, index, commits on branches and in reflogs, and what nothing names."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final

from unlost.facts.trees import EXECUTABLE, LINK, REGULAR, Entry
from unlost.git.reader import ObjectMissing, read_contents, sizes_of
from unlost.git.trees import walk
from unlost.plain.find import Find, FindPlace, Query
from unlost.traces.commits import read_commit
from unlost.traces.dangling import Unreachable, unreachable
from unlost.traces.facts import Stash, Version
from unlost.traces.history import changes_by, missing, only_reachable_from
from unlost.traces.inspection import Inspection
from unlost.traces.staged import staged_entries
from unlost.traces.stashes import dropped_stashes, stash_entries

MOST_COMMITS: Final = 10_000
"""Commits of one kind of place that are looked at, the newest first."""

_BATCH_BYTES: Final = 16 << 20
_COMMITS_AT_ONCE: Final = 1_000


class InRepository:
    """One look into the repository; nothing in it is changed."""

    def __init__(self, inspection: Inspection) -> None:
        self._inspection = inspection

    def finds(self, query: Query) -> Iterator[Find]:
        """Stashes first, then what is staged, unreachable, in reflogs, on other branches, and in history.

        An open query leaves the history of the present branch out.
        """
        for stash in stash_entries(self._inspection):
            yield from _in_stash(stash, query, "stash")
        yield from self._staged(query)
        yield from self._unnamed(query)
        for place, tips, excluding in self._searches(query):
            yield from self._in_commits(query, place, tips, excluding)

    def sizes(self, oids: Iterable[str]) -> Mapping[str, int]:
        """The sizes of those contents that the repository has."""
        return sizes_of(self._inspection.git, oids)

    def contents(self, oids: Iterable[str], largest: int) -> Iterator[tuple[str, bytes]]:
        """Those contents that the repository has."""
        return read_contents(self._inspection.git, oids, largest=largest, at_once=_BATCH_BYTES)

    @cached_property
    def committed(self) -> frozenset[tuple[bytes, str]]:
        """(path, content id) of every file of HEAD; empty while it is unborn or when it cannot be read."""
        head = self._inspection.head
        if head is None:
            return frozenset()
        try:
            tree = read_commit(self._inspection.objects, head).tree
            return frozenset((path, entry.oid) for path, entry in walk(self._inspection.objects, tree))
        except ObjectMissing:
            return frozenset()

    def _staged(self, query: Query) -> Iterator[Find]:
        at = _time_of(os.path.join(self._inspection.repository.git_dir, "index"))
        for path, entries in staged_entries(self._inspection).items():
            if query.wants(path):
                for entry in entries:
                    yield Find(path=path, place="index", ref="index", at=at, entry=entry)

    def _unnamed(self, query: Query) -> Iterator[Find]:
        """What nothing reaches: dropped stashes, commits, and contents without a name."""
        for stash in dropped_stashes(self._inspection, self._unreachable.commits):
            yield from _in_stash(stash, query, "dangling")
        tips = [oid for oid in self._unreachable.commits if oid not in self._unreachable.in_reflog]
        live = [*self._inspection.live_tips.values(), *self._inspection.refs.values()]
        yield from self._in_commits(query, "dangling", tips, live)
        # A content without a name can only be told apart by its text.
        if not query.paths or query.text is not None:
            yield from self._strays()

    def _strays(self) -> Iterator[Find]:
        objects = os.path.join(self._inspection.repository.common_dir, "objects")
        for oid in self._unreachable.blobs:
            at = _time_of(os.path.join(objects, oid[:2], oid[2:]))
            yield Find(path=None, place="dangling", ref=oid, at=at, entry=Entry(REGULAR, oid))

    def _searches(self, query: Query) -> Iterator[tuple[FindPlace, Collection[str], Collection[str]]]:
        """(place, tips, what is left out) of every kind of commit that something names."""
        refs, head = self._inspection.refs, [self._inspection.head] if self._inspection.head else []
        remote = [oid for name, oid in refs.items() if name.startswith("refs/remotes/")]
        local = [oid for name, oid in refs.items() if not name.startswith("refs/remotes/")]
        local += [oid for name, oid in self._inspection.live_tips.items() if name.startswith("worktrees/")]
        if not query.is_open:
            yield "history", head, ()
        yield "branch", local, head
        yield "remote", remote, [*local, *head]
        yield "reflog", self._inspection.reflog_oids(), [*local, *remote, *head]

    def _in_commits(
        self, query: Query, place: FindPlace, tips: Collection[str], excluding: Collection[str]
    ) -> Iterator[Find]:
        if not tips:
            return
        known = missing(self._inspection, [*tips, *excluding])
        commits = only_reachable_from(
            self._inspection,
            [tip for tip in tips if tip not in known],
            [tip for tip in excluding if tip not in known],
            most=MOST_COMMITS,
        )
        for start in range(0, len(commits), _COMMITS_AT_ONCE):
            part = commits[start : start + _COMMITS_AT_ONCE]
            for version in changes_by(self._inspection, part, query.paths):
                yield from _of_version(version, place)

    @cached_property
    def _unreachable(self) -> Unreachable:
        return unreachable(self._inspection)


def _in_stash(stash: Stash, query: Query, place: FindPlace) -> Iterator[Find]:
    for path, entry in stash.changed.items():
        if entry is not None and query.wants(path):
            yield Find(path=path, place=place, ref=stash.name, at=stash.at, entry=entry)


def _of_version(version: Version, place: FindPlace) -> Iterator[Find]:
    if version.entry is not None and version.entry.mode in (REGULAR, EXECUTABLE, LINK):
        yield Find(path=version.path, place=place, ref=version.commit, at=version.at, entry=version.entry)


def _time_of(file: str) -> float | None:
    """When a file was last written; None when there is none."""
    try:
        return os.stat(file, follow_symlinks=False).st_mtime
    except OSError:
        return None
