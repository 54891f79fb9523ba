"""What lies outside the snapshots, asked of the user's repository: `guard.sight.Evidence` over `traces/`.

The repository is looked into only when something does not stand, or when HEAD, refs or stash moved; every question is
one bounded look.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.trees import LINK, Entry
from unlost.git.reader import ObjectMissing
from unlost.git.trees import find_file
from unlost.guard.facts import Tip
from unlost.guard.sight import GoneCommit, GoneStash, Suspect, Trace, TreeReader
from unlost.plain.gone import Gone, PresentEntry
from unlost.plain.moment import Moment
from unlost.plain.on_branches import NewOnBranches
from unlost.plain.on_disk import entries_on_disk
from unlost.plain.put_aside import paths_put_aside
from unlost.plain.stored_forms import may_use_lfs, stored_forms
from unlost.snapshot.partial import is_partial
from unlost.traces.commits import read_commit
from unlost.traces.history import missing, versions
from unlost.traces.inspection import Inspection

_Forms = Mapping[bytes, frozenset[str]]
"""Blob ids by path."""

MOST_TIPS: Final = 500
"""Branches whose tips are looked into for a claimed content, the local ones first."""


class RepositoryEvidence:
    """Evidence from one repository during one look.

    `moment_of` gives the moment of a boundary by number, `newest` is that of the newest one; `present` gives what
    the work tree holds at a path now.
    """

    def __init__(
        self,
        inspection: Inspection,
        *,
        reader: TreeReader,
        moment_of: Callable[[int], Moment],
        newest: Moment,
        present: PresentEntry,
    ) -> None:
        self._inspection = inspection
        self._reader = reader
        self._moment_of = moment_of
        self._stored: dict[Entry, frozenset[str]] = {}
        self._gone = Gone(inspection, newest.surroundings, present, newest.lost_commits, newest.lost_stashes)

    def beside(self, paths: Iterable[bytes]) -> Mapping[bytes, Entry]:
        """Those of the paths that lie on disk although no capture took them."""
        return entries_on_disk(
            self._inspection.repository.root, paths, self._inspection.repository.object_format.name_of
        )

    def trace(self, suspects: Sequence[Suspect]) -> Mapping[bytes, Trace]:
        """What the repository knows about each suspect."""
        groups: dict[int, list[Suspect]] = defaultdict(list)
        for suspect in suspects:
            groups[suspect.since].append(suspect)
        found: dict[bytes, Trace] = {}
        for since, group in groups.items():
            moment = self._moment_of(since)
            branches = NewOnBranches(self._inspection, self._reader, self._tips, moment.tips)
            forms, held = self._held_forms(group)
            earlier = self._earlier(forms, moment)
            beside = {path: oids for path, oids in forms.items() if path not in earlier}
            aside = (
                paths_put_aside(self._inspection, beside, stashes=moment.surroundings.stashes, at=moment.at)
                if beside
                else set()
            )
            kept = self._kept_since(group, moment)
            for suspect in group:
                mine = held.get(suspect.path, frozenset())
                found[suspect.path] = Trace(
                    earlier=suspect.path in earlier,
                    put_aside=suspect.path in aside,
                    tip=self._tip(suspect, moment, mine) or branches.holds(suspect, mine),
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
    def _is_partial(self) -> bool:
        return is_partial(self._inspection.repository)

    @cached_property
    def _may_use_lfs(self) -> bool:
        return may_use_lfs(self._inspection.repository)

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

    def _tip(self, suspect: Suspect, moment: Moment, forms: frozenset[str]) -> Tip | None:
        """A branch whose tip holds the claim (under one of the ids); a deletion only where a commit since made it."""
        claimed = suspect.claimed
        if claimed is not None and not forms:
            return None
        for ref, commit, tree in self._tips:
            if claimed is None and commit in moment.tips:
                continue
            try:
                held = find_file(self._inspection.objects, tree, suspect.path)
            except UnlostError:
                # A tree that cannot be read says nothing about the claim.
                continue
            same_mode = held is not None and claimed is not None and held.mode == claimed.mode
            if (held is None and claimed is None) or (same_mode and held is not None and held.oid in forms):
                return Tip(ref=ref, commit=commit)
        return None

    def _held_forms(self, group: Sequence[Suspect]) -> tuple[_Forms, _Forms]:
        """The ids under which the repository may hold what stands at each path now, and what was claimed there.

        A path is left out where it holds neither. In a partial clone trees name contents that are not here; there
        every claim may be held.
        """
        present = {each.path: self._forms(each.now) for each in group if each.now is not None}
        claimed = {each.path: self._claimed_forms(each) for each in group if each.claimed is not None}
        gone = missing(self._inspection, {oid for oids in (*present.values(), *claimed.values()) for oid in oids})
        return _without(present, gone), claimed if self._is_partial else _without(claimed, gone)

    def _earlier(self, forms: _Forms, moment: Moment) -> set[bytes]:
        """Paths whose present content is a version that commits held before the boundary."""
        if not forms:
            return set()
        tips = moment.tips | self._past(moment)
        walk = versions(self._inspection, sorted(forms), sorted(tips - missing(self._inspection, tips)))
        return {
            version.path
            for version in walk
            if any(each is not None and each.oid in forms[version.path] for each in (version.before, version.entry))
        }

    def _past(self, moment: Moment) -> frozenset[str]:
        """Commits that reflogs named at the boundary: what stands below the line that led to each ref's id then.

        The times in a reflog are not asked: they are committers' times, and anybody may set them.
        """
        then = {"HEAD": moment.surroundings.head, **moment.surroundings.refs}
        past: set[str] = set()
        for ref, oid in then.items():
            lines = [entry.after for entry in self._inspection.reflog(ref)] if oid and _has_reflog(ref) else []
            if oid in lines:
                past.update(after for after in lines[lines.index(oid) :] if after)
        return frozenset(past)

    def _kept_since(self, group: Sequence[Suspect], moment: Moment) -> dict[bytes, list[tuple[str, str | None]]]:
        """For each path, what commits made since the boundary and reachable from HEAD made of it, the newest first."""
        found: dict[bytes, list[tuple[str, str | None]]] = defaultdict(list)
        head = self._inspection.head
        if head is None or head in moment.tips:
            return found
        forms = {suspect.path: self._forms(suspect.claimed) for suspect in group if suspect.claimed is not None}
        claimed = {suspect.path: suspect.claimed for suspect in group}
        known = sorted(moment.tips - missing(self._inspection, moment.tips))
        for version in versions(self._inspection, sorted(claimed), [head], excluding=known):
            oid = None if version.entry is None else version.entry.oid
            entry = claimed[version.path]
            if entry is not None and oid in forms[version.path]:
                oid = entry.oid
            found[version.path].append((version.commit, oid))
        return found

    def _claimed_forms(self, suspect: Suspect) -> frozenset[str]:
        return frozenset() if suspect.claimed is None else self._forms(suspect.claimed)

    def _forms(self, entry: Entry) -> frozenset[str]:
        if entry not in self._stored:
            is_link = entry.mode == LINK
            self._stored[entry] = (
                frozenset({entry.oid}) if is_link else stored_forms(self._reader, entry, lfs=self._may_use_lfs)
            )
        return self._stored[entry]


def _without(forms: _Forms, gone: frozenset[str]) -> dict[bytes, frozenset[str]]:
    return {path: oids - gone for path, oids in forms.items() if oids - gone}


def _has_reflog(ref: str) -> bool:
    return not ref.startswith("refs/tags/")
