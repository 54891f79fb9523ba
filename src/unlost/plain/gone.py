"""Commits and stash entries that were there at a boundary and are not now, and whether what they held lives on.

A commit is lost only when its content is: not after an amend, a rebase, a squash merge or a jj rewrite (design.md,
section 5, Committed work). A stash that was popped, applied or branched is not lost either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from unlost.facts.errors import UnlostError
from unlost.facts.trees import Entry
from unlost.git.reader import ObjectMissing
from unlost.git.trees import find_file
from unlost.guard.facts import LostObject
from unlost.guard.sight import GoneCommit, GonePath, GoneStash
from unlost.snapshot.facts import Surroundings
from unlost.traces.commits import Commit, read_commit
from unlost.traces.facts import Stash
from unlost.traces.history import changes_by, missing, only_reachable_from, patch_ids
from unlost.traces.inspection import Inspection
from unlost.traces.staged import staged_entries
from unlost.traces.stashes import read_stash, stash_entries

PresentEntry = Callable[[bytes], Entry | None]

MOST_COMMITS: Final = 500
"""Vanished commits, and new ones they are compared with, that one look takes; the newest first."""

_LIVE_TREES: Final = 200


class Gone:
    """What vanished between a boundary's surroundings and now."""

    def __init__(
        self,
        inspection: Inspection,
        before: Surroundings,
        present: PresentEntry,
        lost_commits: Sequence[LostObject] = (),
        lost_stashes: Sequence[LostObject] = (),
    ) -> None:
        self._inspection = inspection
        self._before = before
        self._present = present
        self._lost_commits = {lost.commit: lost for lost in lost_commits}
        self._lost_stashes = lost_stashes
        self._live = [
            *inspection.live_tips.values(),
            *(oid for name, oid in inspection.refs.items() if name.startswith("refs/tags/")),
        ]
        self._trees: list[str] | None = None

    def commits(self) -> tuple[GoneCommit, ...]:
        """The vanished commits, the newest first, and those that were lost before and are not back."""
        old = self._old_tips()
        moved = {name: oid for name, oid in old.items() if oid not in self._live}
        if not moved:
            return ()
        absent = missing(self._inspection, moved.values())
        found = [
            GoneCommit(commit=oid, subject="", was_on=self._name(name), on_head=name == "HEAD", paths=None)
            for name, oid in moved.items()
            if oid in absent and (name == "HEAD" or oid != moved.get("HEAD"))
        ]
        present = {name: oid for name, oid in moved.items() if oid not in absent}
        on = {name: set(self._unreached([oid])) for name, oid in present.items()}
        gone = self._unreached(list(present.values()))
        if not gone:
            return tuple(found)
        known = [oid for oid in old.values() if oid not in absent]
        since = only_reachable_from(self._inspection, self._live, known, most=MOST_COMMITS)
        heirs = _Heirs(self._inspection, gone, since)
        for oid in gone:
            name = next((each for each in present if oid in on[each] and each != "HEAD"), "HEAD")
            commit = self._read(oid)
            if commit is not None:
                found.append(self._commit(commit, name, present[name], heirs, on_head=oid in on.get("HEAD", ())))
        return tuple(found)

    def _unreached(self, oids: Sequence[str]) -> tuple[str, ...]:
        return only_reachable_from(self._inspection, oids, self._live, most=MOST_COMMITS)

    def stashes(self) -> tuple[GoneStash, ...]:
        """The vanished stash entries, in the order they stood in."""
        listed = stash_entries(self._inspection)
        now = {stash.commit for stash in listed}
        known = dict.fromkeys([*self._before.stashes, *(lost.commit for lost in self._lost_stashes)])
        gone = [oid for oid in known if oid not in now]
        if not gone:
            return ()
        staged = staged_entries(self._inspection)
        kept = {(path, entry) for each in listed for path, entry in each.changed.items()}
        kept |= {(path, entry) for path, entries in staged.items() for entry in entries}
        read = {oid: read_stash(self._inspection.objects, oid, number=None) for oid in gone}
        # One that was lost before stays so when its objects are pruned too; another may have been popped.
        pruned = [each for each in self._lost_stashes if each.commit in read and read[each.commit] is None]
        return (
            *(self._stash(stash, kept) for stash in read.values() if stash is not None),
            *(GoneStash(commit=each.commit, subject=each.subject, paths=None) for each in pruned),
        )

    def _old_tips(self) -> dict[str, str]:
        """Local branches and HEAD at the boundary, and the commits that were lost by then under their own ids."""
        old = {oid: oid for oid in self._lost_commits}
        old |= {name: oid for name, oid in self._before.refs.items() if name.startswith("refs/heads/")}
        if self._before.head is not None:
            old["HEAD"] = self._before.head
        return old

    def _stash(self, stash: Stash, kept: set[tuple[bytes, Entry | None]]) -> GoneStash:
        paths = tuple(
            GonePath(
                path=path,
                before=_oid(self._entry_at(stash.base, path)),
                after=_oid(entry),
                lives=(path, entry) in kept or self._lives(path, entry),
            )
            for path, entry in sorted(stash.changed.items())
        )
        return GoneStash(commit=stash.commit, subject=stash.subject, paths=paths)

    def _commit(self, commit: Commit, name: str, tip: str, heirs: _Heirs, *, on_head: bool) -> GoneCommit:
        changes = {version.path: version for version in changes_by(self._inspection, [commit.oid])}
        paths = []
        for path, version in sorted(changes.items()):
            held = self._entry_at(tip, path)
            paths.append(
                GonePath(path=path, before=_oid(version.before), after=_oid(held), lives=self._lives(path, held))
            )
        return GoneCommit(
            commit=commit.oid,
            subject=commit.subject,
            was_on=self._name(name),
            on_head=on_head,
            paths=tuple(paths),
            twin=heirs.twin(commit.oid),
            successor=heirs.successor(commit),
        )

    def _name(self, tip: str) -> str:
        """The full ref that a commit was on."""
        if tip in self._lost_commits:
            return self._lost_commits[tip].was_on
        return self._before.branch or "HEAD" if tip == "HEAD" else tip

    def _lives(self, path: bytes, entry: Entry | None) -> bool:
        """Whether exactly this content (or absence) stands at the path in the tree or at a live tip."""
        if _oid(self._present(path)) == _oid(entry):
            return True
        return any(_oid(self._in_tree(tree, path)) == _oid(entry) for tree in self._live_trees())

    def _live_trees(self) -> list[str]:
        if self._trees is None:
            commits = (self._read(oid) for oid in dict.fromkeys(self._live[:_LIVE_TREES]))
            self._trees = [commit.tree for commit in commits if commit is not None]
        return self._trees

    def _entry_at(self, oid: str, path: bytes) -> Entry | None:
        commit = self._read(oid)
        return None if commit is None else self._in_tree(commit.tree, path)

    def _in_tree(self, tree: str, path: bytes) -> Entry | None:
        try:
            return find_file(self._inspection.objects, tree, path)
        except UnlostError:
            # A tree that is gone holds nothing for us.
            return None

    def _read(self, oid: str) -> Commit | None:
        try:
            return read_commit(self._inspection.objects, oid)
        except ObjectMissing:
            return None


class _Heirs:
    """New commits that took over what vanished ones did."""

    def __init__(self, inspection: Inspection, gone: Sequence[str], since: Sequence[str]) -> None:
        self._inspection = inspection
        self._patches = patch_ids(inspection, gone)
        self._by_patch = {patch: commit for commit, patch in patch_ids(inspection, since).items()}
        self._amended = dict(_amended(inspection))
        self._since: dict[str, Commit] = {}
        for oid in since:
            try:
                self._since[oid] = read_commit(inspection.objects, oid)
            except ObjectMissing:
                continue

    def twin(self, oid: str) -> str | None:
        """A new reachable commit with the same patch."""
        patch = self._patches.get(oid)
        return None if patch is None else self._by_patch.get(patch)

    def successor(self, commit: Commit) -> str | None:
        """The commit that an amend or a rebase made of this one: by reflog, else by what both keep of it.

        Both keep author and author's time; an amend keeps the parents too, a rebase the subject. Tools may give many
        commits one author line, so the successor must also touch a path of the commit.
        """
        amended = self._amended.get(commit.oid)
        if amended in self._since:
            return amended
        mine: set[bytes] | None = None
        for oid, other in self._since.items():
            alike = other.subject == commit.subject or other.parents == commit.parents
            if alike and other.author == commit.author:
                mine = self._paths(commit.oid) if mine is None else mine
                if mine & self._paths(oid):
                    return oid
        return None

    def _paths(self, oid: str) -> set[bytes]:
        return {version.path for version in changes_by(self._inspection, [oid])}


def _amended(inspection: Inspection) -> Iterable[tuple[str, str]]:
    """(before, after) of every amend that a reflog tells of."""
    for entry in inspection.reflogs():
        if entry.before and entry.after and entry.message.startswith("commit (amend)"):
            yield entry.before, entry.after


def _oid(entry: Entry | None) -> str | None:
    return None if entry is None else entry.oid
