"""What lies outside the snapshots, asked of the user's repository: `guard.sight.Evidence` over `traces/`.

Opened only when something does not stand, or when HEAD or refs moved; every question is one bounded look.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from unlost.facts.errors import UnlostError
from unlost.facts.trees import LINK, Entry
from unlost.git.reader import ObjectMissing
from unlost.git.trees import find_file
from unlost.guard.facts import Tip
from unlost.guard.sight import GoneCommit, GoneStash, Suspect, Trace
from unlost.host.reading import Reader
from unlost.plain.gone import Gone, PresentEntry
from unlost.snapshot.facts import Surroundings
from unlost.traces.commits import read_commit
from unlost.traces.history import missing, versions
from unlost.traces.inspection import Inspection

_READ_LIMIT = 64 << 20
MOST_TIPS = 500
"""Branches whose tips are looked into for a claimed content, the local ones first."""


@dataclass(frozen=True, kw_only=True)
class Moment:
    """A boundary's time (seconds since 1970) and what the repository looked like then."""

    at: float
    surroundings: Surroundings


class RepositoryEvidence:
    """Evidence from one repository during one look.

    `moment_of` gives the moment of a boundary by number, `newest` is that of the newest one; `present` gives what
    the work tree holds at a path now.
    """

    def __init__(
        self, inspection: Inspection, *, moment_of: Callable[[int], Moment], newest: Moment, present: PresentEntry
    ) -> None:
        self._inspection = inspection
        self._moment_of = moment_of
        self._newest = newest
        self._present = present

    def beside(self, paths: Iterable[bytes]) -> Mapping[bytes, Entry]:
        """Those of the paths that lie on disk although no capture took them, read without following a link."""
        found: dict[bytes, Entry] = {}
        name_of = self._inspection.repository.object_format.name_of
        with Reader(self._inspection.repository.root) as reader:
            for path in paths:
                try:
                    mode, data = reader_entry(reader, path)
                except OSError:
                    continue
                if data is not None:
                    found[path] = Entry(mode, name_of(b"blob", data))
        return found

    def trace(self, suspects: Sequence[Suspect]) -> Mapping[bytes, Trace]:
        """What the repository knows about each suspect."""
        groups: dict[int, list[Suspect]] = defaultdict(list)
        for suspect in suspects:
            groups[suspect.since].append(suspect)
        found: dict[bytes, Trace] = {}
        for since, group in groups.items():
            moment = self._moment_of(since)
            earlier = self._earlier(group, moment)
            kept = self._kept_since(group, moment)
            for suspect in group:
                found[suspect.path] = Trace(
                    earlier=suspect.path in earlier,
                    tip=self._tip(suspect),
                    kept_since=tuple(kept.get(suspect.path, ())),
                )
        return found

    def gone_commits(self) -> tuple[GoneCommit, ...]:
        """Commits that HEAD or local branches reached at the newest boundary, and that nothing live reaches now."""
        return self._gone.commits()

    def gone_stashes(self) -> tuple[GoneStash, ...]:
        """Stash entries that went since the newest boundary."""
        return self._gone.stashes()

    def content(self, oid: str, limit: int) -> bytes | None:
        """A blob of the user's repository; None when it is gone or has more than `limit` bytes."""
        try:
            found = self._inspection.objects.read(oid, limit)
        except ObjectMissing:
            return None
        return found.data if found.kind == "blob" else None

    @cached_property
    def _gone(self) -> Gone:
        return Gone(self._inspection, self._newest.surroundings, self._present)

    @cached_property
    def _tips(self) -> list[tuple[str, str, str]]:
        """(ref, commit, tree) of live branches, the one HEAD is on first, then local, then remote ones."""
        names = {name: oid for name, oid in self._inspection.live_tips.items() if name.startswith("refs/")}
        order = sorted(
            names, key=lambda name: (name != self._inspection.branch, name.startswith("refs/remotes/"), name)
        )
        found = []
        for name in order[:MOST_TIPS]:
            try:
                commit = read_commit(self._inspection.objects, names[name])
            except ObjectMissing:
                continue
            found.append((name, commit.oid, commit.tree))
        return found

    def _tip(self, suspect: Suspect) -> Tip | None:
        for ref, commit, tree in self._tips:
            try:
                if (
                    suspect.claimed is not None
                    and find_file(self._inspection.objects, tree, suspect.path) == suspect.claimed
                ):
                    return Tip(ref=ref, commit=commit)
            except UnlostError:
                # A tree that cannot be read says nothing about the claim.
                continue
        return None

    def _earlier(self, group: Sequence[Suspect], moment: Moment) -> set[bytes]:
        """Paths whose present content is a version that commits held before the boundary."""
        wanted = {suspect.path: suspect.now for suspect in group if suspect.now is not None}
        gone = missing(self._inspection, {entry.oid for entry in wanted.values()})
        wanted = {path: entry for path, entry in wanted.items() if entry.oid not in gone}
        if not wanted:
            return set()
        past = [entry.after for entry in self._inspection.reflogs() if entry.after and entry.at <= moment.at]
        tips = {oid for oid in (moment.surroundings.head, *moment.surroundings.refs.values(), *past) if oid}
        walk = versions(self._inspection, sorted(wanted), sorted(tips - missing(self._inspection, tips)))
        return {
            version.path
            for version in walk
            if any(
                each is not None and each.oid == wanted[version.path].oid for each in (version.before, version.entry)
            )
        }

    def _kept_since(self, group: Sequence[Suspect], moment: Moment) -> dict[bytes, list[tuple[str, str]]]:
        """For each path, what commits since the boundary made of it, the newest first."""
        found: dict[bytes, list[tuple[str, str]]] = defaultdict(list)
        head, before = self._inspection.head, moment.surroundings.head
        if head is None or head == before:
            return found
        excluding = [before] if before and before not in missing(self._inspection, [before]) else []
        for version in versions(self._inspection, [suspect.path for suspect in group], [head], excluding=excluding):
            if version.entry is not None:
                found[version.path].append((version.entry.oid, version.commit))
        return found


def reader_entry(reader: Reader, path: bytes) -> tuple[str, bytes | None]:
    """(mode, content) of what stands at a path; None for what is no file or link, or is over 64 MiB. Raises OSError."""
    status = reader.status(path)
    if (status.st_mode & 0o170000) == 0o120000:
        return LINK, reader.link_target(path)
    return ("100755" if status.st_mode & 0o100 else "100644"), reader.read(path, _READ_LIMIT)
